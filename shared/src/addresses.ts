import ipaddr from "ipaddr.js";

// Parses well-formed addresses and blocks. ipaddr.js takes `::10.1.2.3` for IPv4-mapped, which only `::ffff:10.1.2.3` is
// (RFC 4291, section 2.5.5): it is the IPv6 address with these last 32 bits.

export type ParsedAddress = ReturnType<typeof ipaddr.parse>;

/** Parses an address; IPv4-mapped IPv6 becomes IPv4. */
export function readAddress(text: string): ParsedAddress {
  return ipaddr.process(unambiguous(text));
}

/** All IPv4-mapped addresses. */
const MAPPED_BITS = 96;

/**
 * Parses a block: its address, which may have host bits, and the length of its prefix. A block of IPv4-mapped addresses
 * only becomes IPv4, as they do; larger ones stay IPv6.
 */
export function readBlock(cidr: string): [ParsedAddress, number] {
  const [address, bits] = ipaddr.parseCIDR(unambiguous(cidr));
  const isMapped = bits >= MAPPED_BITS && address.kind() === "ipv6" && (address as ipaddr.IPv6).isIPv4MappedAddress();
  return isMapped ? [(address as ipaddr.IPv6).toIPv4Address(), bits - MAPPED_BITS] : [address, bits];
}

/** Sets all host bits to zero. */
export function networkOf(address: ParsedAddress, bits: number): ParsedAddress {
  const { IPv4, IPv6 } = ipaddr;
  return (address.kind() === "ipv4" ? IPv4 : IPv6).networkAddressFromCIDR(`${address.toString()}/${bits}`);
}

/** Formats an address; IPv6 as in RFC 5952. */
export function addressText(address: ParsedAddress): string {
  return address.kind() === "ipv6" ? (address as ipaddr.IPv6).toRFC5952String() : address.toString();
}

/** `::10.1.2.3` as `::0:10.1.2.3`, which is read as written. */
function unambiguous(text: string): string {
  return text.replace(/^::(?=\d+\.)/, "::0:");
}
