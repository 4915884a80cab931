import type { Document } from "mongodb";
import type { Host } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { documentsIn } from "@nts/shared/mongo/raw-find";
import { DEADLINES } from "@nts/shared/timing";
import type { Entities, Entity } from "../storage/entities.js";
import { creationIndex, INTERFACE_ADDRESSES_INDEX } from "../storage/indexes.js";
import { matching, narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { type Card, cardIn, createDrawioWriter, titleOf } from "./formats/drawio.rules.js";
import { hostsIn } from "./rows.js";

// Streams the drawing by network and subnet, each with the hosts whose first interface is in it, so that only one box
// is in memory. Large boxes are split.

const MOST_CARDS = 150;
const MOST_ROWS = 5_000;
const BY_AGE = { created_at: 1, _id: 1 } as const;

type Reads = Pick<Storage, "subnets" | "hosts" | "interfaces">;

interface Drawn {
  readonly scope: Scope;
  /** Names of networks by their ids. */
  readonly networks: ReadonlyMap<string, string>;
  readonly isDrawn: IsDrawn;
}

/** Whether a host is to be drawn. */
type IsDrawn = (host: Host) => boolean;

/** A diagrams.net drawing of the hosts of a scope in their subnets. */
export async function* drawing(
  storage: Reads,
  { scope, networks, isDrawn }: Drawn,
): AsyncGenerator<string, void, void> {
  const writer = createDrawioWriter();
  yield writer.begin;
  for (const [networkId, name] of networks) {
    let before = writer.network(`network-${networkId}`, name);
    for await (const place of places(storage, narrowedTo(scope, networkId)))
      for await (const { suffix, number, cards } of boxesOf(storage, scope, place, isDrawn)) {
        yield before + writer.box((place.id ?? `rest-${networkId}`) + suffix, place.title + number, cards);
        before = "";
      }
  }
  yield writer.end;
}

interface Place {
  /** The id of the subnet; null for hosts without an address. */
  readonly id: string | null;
  readonly title: string;
  readonly hostIds: AsyncIterable<readonly string[]>;
}

/** The subnets of a network by creation time, then its hosts without an address. */
async function* places({ subnets, hosts, interfaces }: Reads, scope: Scope): AsyncGenerator<Place> {
  const find = {
    filter: subnets.within(scope),
    sort: BY_AGE,
    hint: creationIndex(true),
    maxTimeMS: DEADLINES.streamMs,
  };
  for await (const batch of subnets.readStored(scope, find))
    for (const { entity } of batch) {
      const { id, ...subnet } = entity;
      // The first interface of each of its hosts, by address.
      const filter = matching(interfaces.within(scope), { subnet_id: id, position: 0 });
      const finding = { filter, sort: { ip_key: 1 }, hint: INTERFACE_ADDRESSES_INDEX };
      yield { id, title: titleOf(subnet), hostIds: idsIn(interfaces, scope, "host_id", finding) };
    }
  const filter = matching(hosts.within(scope), { "inventory.interfaces": { $size: 0 } });
  const finding = { filter, sort: { network_id: 1, ...BY_AGE }, hint: creationIndex(true) };
  yield { id: null, title: "No address", hostIds: idsIn(hosts, scope, "_id", finding) };
}

interface Finding {
  readonly filter: ReturnType<typeof matching>;
  readonly sort: Document;
  readonly hint: Document;
}

async function* idsIn(
  { read }: Pick<Entities<Entity>, "read">,
  scope: Scope,
  field: string,
  finding: Finding,
): AsyncGenerator<readonly string[]> {
  const projection = { _id: 0, [field]: 1 };
  for await (const batch of read(scope, { ...finding, projection, maxTimeMS: DEADLINES.streamMs }))
    yield documentsIn(batch).map((found) => String(found[field]));
}

async function* cardsOf(
  { hosts }: Reads,
  scope: Scope,
  ids: AsyncIterable<readonly string[]>,
  isDrawn: IsDrawn,
): AsyncGenerator<readonly Card[]> {
  for await (const some of hostsIn(hosts.withChildren(scope, ids))) yield some.filter(isDrawn).map(cardIn);
}

interface Box {
  /** Suffix of the id, from the second box of a place on. */
  readonly suffix: string;
  readonly number: string;
  readonly cards: readonly Card[];
}

/** The boxes of a place; a subnet has at least one. */
async function* boxesOf(storage: Reads, scope: Scope, place: Place, isDrawn: IsDrawn): AsyncGenerator<Box> {
  let part = 0;
  let rows = 0;
  let cards: Card[] = [];
  const box = (): Box => {
    part += 1;
    const done = { cards, suffix: part === 1 ? "" : `-${part}`, number: part === 1 ? "" : ` (${part})` };
    [cards, rows] = [[], 0];
    return done;
  };
  for await (const some of cardsOf(storage, scope, place.hostIds, isDrawn))
    for (const card of some) {
      if (cards.length >= MOST_CARDS || rows >= MOST_ROWS) yield box();
      cards.push(card);
      rows += card.services.length + card.elsewhere.length;
    }
  if (cards.length > 0 || (part === 0 && place.id !== null)) yield box();
}
