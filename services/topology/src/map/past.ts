import type { HostRecord, Link, Port, Vlan } from "@nts/shared/contract";
import { KINDS_IN_NETWORKS } from "@nts/shared/contract/kinds";
import { DEADLINES } from "@nts/shared/timing";
import type { Kinds } from "../past/denormalized-fields.js";
import { entitiesAt, type Kind } from "../past/entities.js";
import type { PastQuery, Past } from "../past/past.js";
import { changedRows, rowsAt } from "../past/rows.js";
import { createWriter, rowPiece } from "../past/texts.js";
import { creationIndex } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { categoryOf } from "../values/definitions/categories.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import { roleOfHost } from "./map.rules.js";
import type { MapSource, Read } from "./read.js";
import type { TreeLink } from "./tree.rules.js";

const SORT = { network_id: 1, created_at: 1, _id: 1 } as const;

/** The state at a past moment. @throws AppError as `OpenView` */
export async function pastSource(
  storage: Storage,
  past: Past,
  { networkId, ...query }: PastQuery & { readonly networkId: string | undefined },
): Promise<MapSource> {
  const kinds = storage as unknown as Kinds & Readonly<Record<string, Kind>>;
  const view = await past.open({ ...query, filter: { network_id: networkId }, kinds: KINDS_IN_NETWORKS });
  const writer = createWriter(view);

  async function* all(name: string): AsyncGenerator<Read<never>[]> {
    const kind = kinds[name] as Kind;
    const request = { kind, sort: SORT, filter: {}, storedFilter: {} };
    const find = {
      hint: creationIndex(true),
      segments: [{}],
      place: null,
      most: 0,
      maxTimeMS: DEADLINES.streamMs,
      isJoined: true,
    };
    const changed = await changedRows(view, kinds, request);
    for await (const rows of rowsAt(view, request, changed, find))
      for await (const { text } of writer(rows.map(rowPiece))) {
        const entities = JSON.parse(`[${String(text).slice(1)}]`) as { readonly service_definition?: string }[];
        yield entities.map((entity) => ({
          entity: entity as never,
          category: categoryOf(entity.service_definition ?? ""),
          missedSince: null,
        }));
      }
  }

  return {
    all,
    treeHosts: async function* () {
      for await (const read of all("hosts") as AsyncIterable<Read<HostRecord>[]>)
        yield read.map(({ entity }) => ({
          ...{ id: entity.id, role: roleOfHost(entity) },
          runners: runnersOf(entity).map(({ id }) => id),
        }));
    },
    treeLinks: async function* () {
      for await (const read of all("links") as AsyncIterable<Read<Link>[]>)
        yield read.map(({ entity: { ends } }) => ends.map(({ host_id }) => host_id) as unknown as TreeLink);
    },
    ports: async (ids) => [...(await entitiesAt<Port>(view, kinds["ports"] as Kind, ids)).values()],
    vlans: async (ids) => [...(await entitiesAt<Vlan>(view, kinds["vlans"] as Kind, ids)).values()],
    there: async (kind, ids) => new Set((await entitiesAt(view, kinds[kind] as Kind, ids)).keys()),
  };
}
