import ipaddr from "ipaddr.js";

// Whoever may make webhooks chooses where this process connects to. It stands beside databases and in networks that nobody
// outside can reach, so it connects to public addresses only, and to what the operator names.

export interface AddressGuard {
  /** True for an address that may be sent to by this protocol; plain `http:` is for the operator's networks only. */
  allows(address: string, protocol: string): boolean;
  /** Why the address of a webhook is refused without asking for its name; null when it is not. */
  faultOf(url: URL): string | null;
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** @param networks those that the operator allows, as CIDRs */
export function createAddressGuard(networks: readonly string[]): AddressGuard {
  const allowed = networks.map((cidr) => ipaddr.parseCIDR(cidr));
  const isOperators = (address: ReturnType<typeof ipaddr.parse>): boolean =>
    allowed.some((network) => network[0].kind() === address.kind() && address.match(network));
  const allows: AddressGuard["allows"] = (text, protocol) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.parse(text);
    return isOperators(address) || (protocol === "https:" && isPublic(address));
  };
  return {
    allows,
    faultOf: (url) => {
      if (url.protocol !== "https:" && allowed.length === 0) return "must begin with https://";
      const host = hostOf(url);
      return ipaddr.isValid(host) && !allows(host, url.protocol)
        ? "must not lead to a private or reserved address"
        : null;
    },
  };
}

/** The name or address that a URL leads to. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** True for what is assigned to somebody on the Internet, and is no way to an IPv4 address. */
function isPublic(address: ReturnType<typeof ipaddr.parse>): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}
