/** Display name of an entity: its name, else its address, or its number and protocol, or the ports that it connects; otherwise empty. */
export function nameOf({ name, ip_address, number, protocol, ends }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string" && name !== "") return name;
  if (typeof ip_address === "string") return ip_address;
  if (Array.isArray(ends))
    return (ends as readonly { readonly port?: string | null }[]).map(({ port }) => port ?? "?").join(" – ");
  return typeof number === "number" && typeof protocol === "string" ? `${number}/${protocol}` : "";
}
