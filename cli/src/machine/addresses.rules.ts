interface Link {
  readonly ifname: string;
  readonly address?: string;
  readonly link_type?: string;
  readonly addr_info?: readonly { readonly local?: string; readonly scope?: string }[];
}

/** Container bridges and virtual pairs are of no concern to other machines. */
const INNER = /^(?:docker|br-|veth|cni|flannel|virbr)/;

/**
 * The addresses of a machine as an interface table of one host. @param json output of `ip -j addr`
 *
 * @returns null if none is reachable
 */
export function addressTable(json: string, hostname: string): string | null {
  const links = JSON.parse(json) as readonly Link[];
  const rows = links
    .filter(({ ifname, link_type: type }) => type !== "loopback" && !INNER.test(ifname))
    .flatMap(({ address, link_type: type, addr_info: addresses = [] }) =>
      addresses
        .filter(({ local, scope }) => local !== undefined && scope === "global")
        .map(({ local = "" }) => [hostname, hostname, local, type === "ether" ? (address ?? "") : ""].join(",")),
    );
  return rows.length === 0 ? null : ["host,hostname,ip_address,mac_address", ...rows].join("\n");
}
