import type { Db } from "mongodb";
import type { HostRecord } from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { hostKind } from "@nts/topology/kinds/host";
import { linkKind } from "@nts/topology/kinds/link";

interface Wired {
  /** The first hosts; the very first is a router. */
  readonly switches: number;
  /** Links between switches, besides those of the tree. */
  readonly rings: number;
}

const SWITCHES_BELOW = 8;

/** Links all hosts of an organization with one network: switches as a tree, others at these. @returns ids of the switches */
export async function seedLinks(db: Db, organizationId: string, { switches, rings }: Wired): Promise<string[]> {
  const hosts = db.collection<{ _id: string; network_id: string; wire: string }>("hosts");
  const found = await hosts
    .find(
      { organization_id: organizationId },
      { projection: { network_id: 1, wire: 1 }, sort: { created_at: 1, _id: 1 } },
    )
    .toArray();
  const carriers = found.slice(0, switches).map(({ _id, wire }, n) => {
    const host = { ...(JSON.parse(wire) as HostRecord), role: n === 0 ? ("Router" as const) : ("Switch" as const) };
    const { facets } = hostKind.keysOf(host);
    return { updateOne: { filter: { _id }, update: { $set: { wire: JSON.stringify(host), facets } } } };
  });
  await hosts.bulkWrite(carriers);
  const pairs = found.slice(1).map((_, below): readonly [number, number] => {
    const n = below + 1;
    return [n < switches ? Math.floor(below / SWITCHES_BELOW) : n % switches, n];
  });
  for (let n = 0; n < rings; n++) pairs.push([n % switches, (n * 7_919 + 13) % switches]);
  const now = new Date().toISOString();
  const links = pairs.flatMap(([one, other], n) => {
    const upper = found[one];
    const lower = found[other];
    if (upper === undefined || lower === undefined || one === other) return [];
    const { network_id } = upper;
    const ends = [
      { host_id: upper._id, interface_id: null, port: `Gi${n}` },
      { host_id: lower._id, interface_id: null, port: `eth${n}` },
    ];
    const made = { id: newId(), created_at: now, updated_at: now, network_id, source: { type: "Discovery" } };
    const link = linkKind.make({ kind: "Ethernet", ends, vlan_ids: [], speed_mbps: null, tags: [] }, made);
    return {
      ...{
        _id: link.id,
        organization_id: organizationId,
        network_id,
        revision: 1,
        form: 1,
        wire: JSON.stringify(link),
      },
      ...{ created_at: new Date(now), updated_at: new Date(now), ...linkKind.keysOf(link) },
    };
  });
  await db.collection<{ _id: string }>("links").insertMany(links);
  return found.slice(0, switches).map(({ _id }) => _id);
}
