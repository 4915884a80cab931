import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireNotAbandoned, type Work } from "@nts/shared/work";
import { DEADLINES } from "@nts/shared/timing";
import { keyAt, spaceOf } from "../values/address-space.js";
import type { Guards } from "./guards.js";
import type { SearchedSubnet } from "./stores/free-addresses.js";
import type { AddressStore, ReservedAddresses } from "./stores/addresses.js";
import type { Storage } from "./storage.js";

// A request that comes alone takes its addresses in its own transaction. Others that come meanwhile share searches, which
// reserve addresses for all of them. Long moves of the mark are made in committed steps, so they are done once, whichever
// request starts them.

/** Used addresses that the mark passes per transaction. */
const STEP = 10_000;
/** Addresses per search, unless a single request wants more. */
const MOST_AT_ONCE = 1_000;
/** Maximum milliseconds between searches. */
const MOST_REST_MS = 50;
/** Milliseconds until addresses reserved by others are checked again. */
const EVERY_MS = 25;

/** A request for addresses. */
export interface Wanting {
  readonly work: Work;
  readonly scope: Scope;
  readonly subnet: Pick<Subnet, "id" | "network_id" | "cidr">;
  readonly count: number;
  /** Further keys that the request uses. */
  readonly others: ReadonlySet<string>;
}

export interface AddressAllocator {
  /**
   * Lets a request take addresses of a subnet in its own transaction, while later ones of this process wait.
   *
   * @returns what ends it; null if others were first
   */
  alone(subnetId: string): (() => void) | null;
  /**
   * Reserves the lowest free addresses of a subnet for a request.
   *
   * @throws AppError `subnet_full` · `write_conflict` if others were faster, or held the last ones, until the deadline
   */
  reserve(wanting: Wanting): Promise<ReservedAddresses>;
}

interface Waiting extends Wanting {
  readonly untilMs: number;
  readonly resolve: (reserved: ReservedAddresses) => void;
  readonly reject: (error: unknown) => void;
}

interface Parts {
  readonly transaction: RunTransaction;
  readonly addresses: AddressStore;
  readonly guards: Guards;
  readonly subnets: Storage["subnets"];
}

export function createAddressAllocator(parts: Parts, step = STEP): AddressAllocator {
  const { addresses } = parts;
  const holder = randomUUID();
  const search = createHoldingSearch(parts, { holder, step });
  /** Waiting requests, by subnet. */
  const queues = new Map<string, Waiting[]>();

  async function serve(subnetId: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = nextOf(queue).filter(isStillAwaited);
      if (batch.length === 0) continue;
      const startedMs = performance.now();
      const unserved = await serveTogether(batch).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
        return [];
      });
      queue.unshift(...unserved);
      // Pauses as long for other processes, which would rarely find the mark free; meanwhile requests accumulate.
      await delay(Math.min(performance.now() - startedMs, MOST_REST_MS));
    }
    queues.delete(subnetId);
  }

  /** @returns requests that must wait longer */
  async function serveTogether(batch: readonly Waiting[]): Promise<Waiting[]> {
    const { scope, subnet } = lastOf(batch);
    const { found, isAnyReserved } = await search(batch);
    const reservedOf = (keys: readonly string[]): ReservedAddresses => ({ holder, subnetId: subnet.id, keys });
    const unserved: Waiting[] = [];
    for (const one of batch)
      if (one.count <= found.length) one.resolve(reservedOf(found.splice(0, one.count)));
      else unserved.push(one);
    await addresses.giveBack(scope, reservedOf(found));
    if (unserved.length < batch.length) return unserved;
    if (isAnyReserved) {
      await delay(EVERY_MS);
      return unserved;
    }
    throw new AppError("subnet_full", { subnet_id: subnet.id, cidr: subnet.cidr });
  }

  return {
    alone: (subnetId) => {
      if (queues.has(subnetId)) return null;
      const later: Waiting[] = [];
      queues.set(subnetId, later);
      return () => void serve(subnetId, later);
    },
    reserve: (wanting) =>
      new Promise((resolve, reject) => {
        const one = { ...wanting, untilMs: performance.now() + DEADLINES.transactionMs, resolve, reject };
        const { id } = wanting.subnet;
        const queue = queues.get(id);
        if (queue !== undefined) return void queue.push(one);
        const mine = [one];
        queues.set(id, mine);
        void serve(id, mine);
      }),
  };
}

/** Keys of reserved addresses, ascending; if they are too few, whether others have reserved some. */
interface SearchResult {
  readonly found: string[];
  readonly isAnyReserved: boolean;
}

/** Reserves the addresses of some requests in a subnet. */
function createHoldingSearch(
  { transaction, addresses, guards, subnets }: Parts,
  { holder, step }: { readonly holder: string; readonly step: number },
): (batch: readonly Waiting[]) => Promise<SearchResult> {
  /** Conflicts with changes and the deletion of the subnet. */
  async function unchanged(tx: ClientSession, scope: Scope, id: string): Promise<SearchedSubnet> {
    const missing = await guards.reference(tx, scope, [{ target: id, kind: "subnet" }]);
    if (missing.size > 0) throw new AppError("invalid_reference", { path: "subnet_id" });
    const { entity } = await subnets.get(scope, id, tx);
    return { id, network_id: entity.network_id, space: spaceOf(entity) };
  }

  /** In steps that are kept whatever happens to the request. */
  async function moveMark(work: Work, scope: Scope, subnetId: string, isAnew: boolean): Promise<void> {
    let from: "first" | "mark" = isAnew ? "first" : "mark";
    let isThere = false;
    while (!isThere) {
      isThere = await transaction(work, [], async (tx) => {
        const subnet = await unchanged(tx, scope, subnetId);
        // The network is locked, so nobody frees addresses while the mark passes used ones.
        await guards.lockAll(tx, scope, subnet.network_id);
        return addresses.move(tx, scope, subnet, { from, step });
      });
      from = "mark";
    }
    if (isAnew) await addresses.checked(scope, subnetId);
  }

  return async (batch) => {
    const { scope, subnet } = lastOf(batch);
    const count = batch.reduce((sum, one) => sum + one.count, 0);
    const request = { count, others: new Set(batch.flatMap(({ others }) => [...others])), holder };
    const within = { ...scope, networks: [subnet.network_id] };
    const work = workFor(batch);
    for (;;) {
      const result = await transaction(work, [], async (tx): Promise<SearchResult | "move" | "move anew"> => {
        const since = new Date();
        const there = await unchanged(tx, within, subnet.id);
        const addressesFound = await addresses.take(tx, within, there, request);
        if (typeof addressesFound === "string") return addressesFound;
        const found = addressesFound.map((address) => keyAt(there.space, address));
        // Of the same moment as the search: one that ends after it leaves a free address that it has not seen.
        const isAnyReserved =
          found.length < count && (await addresses.isAnyReserved(tx, within, { id: subnet.id, besides: found, since }));
        return { found, isAnyReserved };
      });
      if (typeof result !== "string") return result;
      await moveMark(work, within, subnet.id, result === "move anew");
    }
  };
}

/** Takes the first of the waiting requests. */
function nextOf(queue: Waiting[]): Waiting[] {
  let count = 0;
  let sum = 0;
  for (const one of queue) {
    sum += one.count;
    if (count > 0 && sum > MOST_AT_ONCE) break;
    count += 1;
  }
  return queue.splice(0, count);
}

function isStillAwaited({ work, untilMs, reject }: Waiting): boolean {
  try {
    requireNotAbandoned(work);
    if (performance.now() > untilMs) throw new AppError("write_conflict");
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}

/** The latest one, with the most recent view of hidden entities. */
function lastOf(batch: readonly Waiting[]): Waiting {
  return batch[batch.length - 1] as Waiting;
}

/** Shared work continues while one of its requests waits. */
function workFor(batch: readonly Waiting[]): Work {
  const { use, openStream } = lastOf(batch).work;
  return {
    deadline: Math.max(...batch.map(({ work, untilMs }) => Math.min(work.deadline, untilMs))),
    isAbandoned: () => batch.every(({ work }) => work.isAbandoned()),
    use,
    openStream,
  };
}
