/** What an entity is called: its name, else its address, or its number and protocol; empty for what has none of them. */
export function nameOf({ name, ip_address, number, protocol }: Readonly<Record<string, unknown>>): string {
  if (typeof name === "string" && name !== "") return name;
  if (typeof ip_address === "string") return ip_address;
  return typeof number === "number" && typeof protocol === "string" ? `${number}/${protocol}` : "";
}
