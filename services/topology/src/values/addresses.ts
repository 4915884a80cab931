import ipaddr from "ipaddr.js";
import { addressText, networkOf, type ParsedAddress, readAddress, readBlock } from "@nts/shared/addresses";
import { validationFailed } from "@nts/shared/errors";

// Canonical addresses and blocks. The contract has already validated the notation. Keys are strings in numeric order,
// IPv4 before IPv6.

/** IPv4 as it is usually written, which needs no general parser: that takes ten times as long. */
const USUAL_IPV4 = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/;

/** An address in canonical form (RFC 5952 for IPv6) with its key. */
export interface Address {
  readonly text: string;
  readonly key: string;
}

export interface Block extends Address {
  /** The keys of its first and last address. */
  readonly first: string;
  readonly last: string;
  contains(address: string): boolean;
}

/** Canonicalizes an address; IPv4-mapped IPv6 becomes IPv4. */
export function parseAddress(text: string): Address {
  const bytes = USUAL_IPV4.exec(text)?.slice(1).map(Number);
  if (bytes?.every((byte) => byte < 256) === true) return { text, key: `4${bytes.map(hexOf).join("")}` };
  const address = readAddress(text);
  return { text: addressText(address), key: keyOf(address) };
}

/**
 * Canonicalizes a block.
 *
 * @throws AppError `validation_failed` at `path` if host bits are set
 */
export function parseBlock(cidr: string, path: string): Block {
  const [network, bits] = readBlock(cidr);
  const masked = networkOf(network, bits);
  if (keyOf(masked) !== keyOf(network))
    throw validationFailed({ path, message: `must have all host bits zero, as in ${addressText(masked)}/${bits}` });
  return {
    text: `${addressText(network)}/${bits}`,
    key: `${keyOf(network)}/${String(bits).padStart(3, "0")}`,
    first: keyOf(network),
    last: keyOf(network, bits),
    contains: (text) => {
      const address = readAddress(text);
      return address.kind() === network.kind() && address.match(network, bits);
    },
  };
}

/** The key of an address. @param bits the prefix length of a block, for the key of its last address */
export function keyOf(address: ParsedAddress, bits = Infinity): string {
  const hostBitsAt = (at: number): number => 0xff >> Math.max(0, Math.min(8, bits - 8 * at));
  const bytes = address.toByteArray().map((byte, at) => byte | hostBitsAt(at));
  return `${address.kind() === "ipv4" ? "4" : "6"}${bytes.map(hexOf).join("")}`;
}

/** The address of a key, in canonical form. */
export function addressOfKey(key: string): string {
  const bytes = key.slice(1).match(/../g) ?? [];
  return addressText(ipaddr.fromByteArray(bytes.map((byte) => parseInt(byte, 16))));
}

function hexOf(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** The canonical block with this prefix length around an address. */
export function blockAround(ip: string, bits: number): string {
  return `${addressText(networkOf(readAddress(ip), bits))}/${bits}`;
}
