/** Names that programs give to machines without one, or by their place in the network. */
const SYNTHETIC =
  /^(?:_gateway|_localdnsstub|_localdnsproxy|_outbound|localhost|localhost\.localdomain|localhost[46]|ip6-localhost|ip6-loopback|broadcasthost|gateway\.docker\.internal|\(?(?:unknown|none|null)\)?|\[?n\/[as]\]?|-+|\*|\?)\.?$/i;
/** Addresses as names. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})$/i;

/** True for a name by which no machine can be told from others: `_gateway`, `[n/a]`, `localhost`, an address. */
export function isSynthetic(name: string): boolean {
  return SYNTHETIC.test(name) || ADDRESS.test(name);
}
