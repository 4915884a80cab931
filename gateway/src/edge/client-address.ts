import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The client's address: that of the connection or, behind `hops` trusted proxies, the one the outermost proxy saw.
 * Entries of `X-Forwarded-For` set by the client are further left and ignored.
 */
export function clientAddressOf(request: IncomingMessage, hops: number): string {
  const connected = canonicalAddress(request.socket.remoteAddress ?? "");
  if (hops === 0) return connected;
  const seen = [connected, ...forwardedBy(request)];
  const address = seen[Math.min(hops, seen.length - 1)] ?? connected;
  return isIP(address) === 0 ? connected : address;
}

/** Addresses of `X-Forwarded-For`, nearest first. */
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

/** Normalizes IPv4-mapped IPv6 to IPv4, and removes zones. */
export function canonicalAddress(address: string): string {
  return address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
}
