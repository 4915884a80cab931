import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

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
