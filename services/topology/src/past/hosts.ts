import { chunksOf, putUnder } from "@nts/shared/groups";
import { documentsIn } from "@nts/shared/mongo/raw-find";
import { matching } from "../storage/scope.js";
import { CHILDREN, type Child } from "../storage/stores/host-texts.js";
import { comparePlacesIn } from "./conditions.rules.js";
import type { Kinds } from "./denormalized-fields.js";
import type { Kind } from "./entities.js";
import { changedRows, placeOf, type ReplacedIds, type Row, type Sort } from "./rows.js";
import { COMMA, NOTHING, type Piece, type Ref } from "./texts.js";
import type { View } from "./view.js";

// Past states of hosts with their children.

/** Hosts per query of children; each can have 3,000. */
const GROUP = 20;

const END = Buffer.from("}");
const END_OF_LIST = Buffer.from("]");

const ORDERS: Readonly<Record<Child["kind"], Sort>> = {
  interfaces: { position: 1, _id: 1 },
  ports: { number: 1, protocol: 1, _id: 1 },
  services: { position: 1, _id: 1 },
};

export type ChildKinds = Kinds & Readonly<Record<Child["kind"], Kind>>;

/** Creates a generator of the pieces of hosts. @param isList whether each host is a row of a list */
export function createHostPieces(
  view: View,
  kinds: ChildKinds,
): (hosts: readonly Ref[], isList: boolean) => AsyncGenerator<Piece[]> {
  const children = CHILDREN.map(({ kind }) => ({ kind, on: createChildren(view, kinds, kind) }));
  return async function* (hosts, isList) {
    for (const group of chunksOf(hosts, GROUP)) {
      const ids = group.map(({ id }) => id);
      const lists = await Promise.all(children.map(async ({ kind, on }) => ({ kind, found: await on(ids) })));
      yield group.flatMap((ref) => [
        { before: isList ? COMMA : NOTHING, ref, isOpen: true as const, ...(isList && { rows: 1 }) },
        ...lists.flatMap(({ kind, found }) => listOf(kind, found.get(ref.id) ?? [])),
        { before: END },
      ]);
    }
  };
}

function listOf(kind: string, refs: readonly Ref[]): Piece[] {
  const rows = refs.map((ref, n) => ({ before: n === 0 ? NOTHING : COMMA, ref }));
  return [{ before: Buffer.from(`,"${kind}":[`) }, ...rows, { before: END_OF_LIST }];
}

type ByHost = Map<string, Row[]>;

/** Creates a lookup for the children of hosts, in API order. */
function createChildren(
  view: View,
  kinds: ChildKinds,
  name: Child["kind"],
): (ids: readonly string[]) => Promise<ByHost> {
  const kind = kinds[name];
  const order = ORDERS[name];
  const sort: Sort = { host_id: 1, ...order };
  const compare = comparePlacesIn(sort);
  let changed: Promise<{ byHost: ByHost; ids: ReplacedIds }> | null = null;

  async function readChanged(): Promise<{ byHost: ByHost; ids: ReplacedIds }> {
    const { rows, ids } = await changedRows(view, kinds, { kind, sort, filter: {}, storedFilter: {} });
    const byHost: ByHost = new Map();
    for (const row of rows) putUnder(byHost, String(row.place[0]), row);
    return { byHost, ids };
  }

  return async (hostIds) => {
    const { byHost, ids } = await (changed ??= readChanged());
    const { stored, moment } = view;
    const found: ByHost = new Map(hostIds.map((id) => [id, [...(byHost.get(id) ?? [])]]));
    const hint = CHILDREN.find((one) => one.kind === name)?.order;
    const projection = Object.fromEntries(Object.keys(sort).map((field) => [field, 1]));
    const filter = matching(kind.within(stored), { host_id: { $in: hostIds } });
    for await (const batch of kind.read(stored, { filter, projection, hint }, moment))
      for (const document of documentsIn(batch)) {
        const id = String(document["_id"]);
        if (!ids.has(id))
          putUnder(found, String(document["host_id"]), { kind, id, n: null, place: placeOf(sort, document) });
      }
    for (const rows of found.values()) rows.sort((a, b) => compare(a.place, b.place));
    return found;
  };
}
