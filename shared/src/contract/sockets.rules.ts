// Socket notation for searches and display: `10.0.0.5:443`, `[fd00::5]:443`, `:443` for any address, `443/tcp`.

/** A port on one address or on any. */
export interface Socket {
  /** As entered, without brackets; null for any address. */
  readonly address: string | null;
  /** 1 to 65535. */
  readonly port: number;
  /** null for any. */
  readonly protocol: "Tcp" | "Udp" | null;
}

const WITH_COLON = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])?:(\d{1,5})(?:\/(tcp|udp))?$/i;
const WITH_PROTOCOL = /^()()(\d{1,5})\/(tcp|udp)$/i;

/** Parses socket notation; null if the text is something else. */
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

/** Formats as `10.0.0.5:443` or `[fd00::5]:443`. */
export function socketText(address: string, port: number): string {
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

function isIpv4(text: string): boolean {
  return text.split(".").every((part) => Number(part) <= 255 && String(Number(part)) === part);
}

function isIpv6(text: string): boolean {
  return text.includes(":") && URL.canParse(`http://[${text}]`);
}

/** Normalizes an address: IPv6 in lower case and compressed; other text is returned unchanged. */
export function canonicalAddress(address: string): string {
  return isIpv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
