// What people write for "this address and port": `10.0.0.5:443`, `[fd00::5]:443`, `:443` for any address, `443/tcp`. Searches
// understand it, and lists and pictures show it.

/** A port, of one address or of any. */
export interface Socket {
  /** As it was written, without brackets; null for any address. */
  readonly address: string | null;
  /** 1 to 65535. */
  readonly port: number;
  /** null for both. */
  readonly protocol: "Tcp" | "Udp" | null;
}

const WITH_COLON = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])?:(\d{1,5})(?:\/(tcp|udp))?$/i;
const WITH_PROTOCOL = /^()()(\d{1,5})\/(tcp|udp)$/i;

/** What a text asks for; null when it names no port, or is no address. */
export function socketIn(text: string): Socket | null {
  const match = WITH_COLON.exec(text.trim()) ?? WITH_PROTOCOL.exec(text.trim());
  if (match === null) return null;
  const [, ipv4 = "", ipv6 = "", digits, protocol] = match;
  const port = Number(digits);
  const isAddress = ipv6 === "" ? ipv4 === "" || isIpv4(ipv4) : isIpv6(ipv6);
  if (port < 1 || port > 65_535 || !isAddress) return null;
  const address = ipv4 === "" && ipv6 === "" ? null : ipv4 + ipv6;
  return { address, port, protocol: protocol === undefined ? null : protocol.toLowerCase() === "udp" ? "Udp" : "Tcp" };
}

/** Such as `10.0.0.5:443` and `[fd00::5]:443`. */
export function socketText(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

function isIpv4(text: string): boolean {
  return text.split(".").every((part) => Number(part) <= 255 && String(Number(part)) === part);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]`);
}

/** The one form of an address that a text of people may write in several: of IPv6 in lower case, and as short as it gets. */
export function canonicalAddress(address: string): string {
  return isIpv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
