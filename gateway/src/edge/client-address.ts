import type { IncomingMessage } from "node:http";
import { isIP, isIPv6 } from "node:net";

/**
 * The address a request comes from: that of its connection, or with `hops` proxies of ours in front, the one that the
 * outermost of them saw. What a client itself puts into `X-Forwarded-For` stands further left and is never read.
 */
export function clientAddressOf(request: IncomingMessage, hops: number): string {
  const connected = canonicalAddress(request.socket.remoteAddress ?? "");
  if (hops === 0) return connected;
  const seen = [connected, ...forwardedBy(request)];
  const address = seen[Math.min(hops, seen.length - 1)] ?? connected;
  return isIP(address) === 0 ? connected : address;
}

/** What an address is counted under: IPv6 by its /64, which is what one customer gets. */
export function addressBlockOf(address: string): string {
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(":")}::/64` : address;
}

/** Addresses of `X-Forwarded-For`, the nearest first. */
function forwardedBy(request: IncomingMessage): string[] {
  const value = request.headers["x-forwarded-for"];
  const text = Array.isArray(value) ? value.join(",") : (value ?? "");
  return text === "" ? [] : text.split(",").map(withoutPort).map(canonicalAddress).reverse();
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const trimmed = text.trim();
  return (/^\[(.*)\](?::\d+)?$/.exec(trimmed) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(trimmed))?.[1] ?? trimmed;
}

/** IPv4 in its plain form also when a socket shows it inside IPv6; without a zone. */
export function canonicalAddress(address: string): string {
  return address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address
    .toLowerCase()
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...bytes: string[]) => {
      const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    })
    .split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => "0");
  return [...left, ...zeros, ...right].map((group) => parseInt(group, 16).toString(16));
}
