/** Display name of an entity: its name, else its address, or its number and protocol; otherwise empty. */
export function nameOf({ name, ip_address, number, protocol }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string" && name !== "") return name;
  if (typeof ip_address === "string") return ip_address;
  return typeof number === "number" && typeof protocol === "string" ? `${number}/${protocol}` : "";
}
