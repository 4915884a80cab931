interface Link {
  readonly ifname: string;
  readonly address?: string;
  readonly link_type?: string;
  readonly addr_info?: readonly { readonly local?: string; readonly scope?: string }[];
}

/** Bridges and pairs that containers make are of no other machine's concern. */
const INNER = /^(?:docker|br-|veth|cni|flannel|virbr)/;

/**
 * The addresses of a machine as a table of interfaces of one host. @param json what `ip -j addr` prints
 *
 * @returns null when it has none that others could reach
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
