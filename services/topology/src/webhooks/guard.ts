import ipaddr from "ipaddr.js";

// SSRF protection: users choose where this process connects to, and it runs in internal networks. It therefore only connects to
// public addresses, and to networks that the operator allows.

export interface AddressGuard {
  /** True if sending to the address is allowed with this protocol; plain `http:` only in networks that the operator allows. */
  allows(address: string, protocol: string): boolean;
  /** Why a webhook URL is rejected without resolving its name, or null. */
  faultOf(url: URL): string | null;
}

const GLOBAL_UNICAST = ipaddr.parseCIDR("2000::/3");

/** @param networks CIDRs that the operator allows */
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

/** The host of a URL, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

/** True for globally routable addresses, except IPv6 transition addresses that embed IPv4. */
function isPublic(address: ReturnType<typeof ipaddr.parse>): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_UNICAST);
}
