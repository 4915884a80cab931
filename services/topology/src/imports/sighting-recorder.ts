import type { ImportSummary, Missing } from "@nts/shared/contract";
import { forPlurals, SIGHTED_KINDS } from "@nts/shared/contract/kinds";
import type { RecognizedBy } from "@nts/shared/contract/sightings";
import { asAppError } from "@nts/shared/mongo/faults";
import type { SightedKind } from "../storage/sightings.js";
import { type Looking, missingIn, noteMissed } from "./missing.js";
import type { Covered } from "./file-coverage.js";
import type { HostResult } from "./result.rules.js";
import type { Missed } from "./sightings.rules.js";
import { MOST_LISTED } from "./scan.rules.js";

// Records what an import found, host by host after its writes, and finally what it missed. If interrupted, the rest
// keeps its earlier state: nothing is missed that was not looked for.

/** Ids recorded together. */
const TOGETHER = 1_000;
/** Delays before retries, for example while a host is locked. */
const ATTEMPTS = 3;

/** Found entities of a kind. */
interface Found {
  readonly kind: SightedKind;
  readonly how: RecognizedBy | null | undefined;
  readonly ids: string[];
}

const ENTITIES = forPlurals(SIGHTED_KINDS, (name) => name);

export interface SightingRecorder {
  /** Records the outcome of a host. */
  take(host: Pick<HostResult, "id" | "sighting">): Promise<void>;
  /** Finishes with the missed entities: the first are listed, all counted. */
  missing(covered: Covered | null, summary: ImportSummary): AsyncGenerator<Missing>;
}

/** @param by the format of the file @param onFault receives errors of recording */
export function createSightingRecorder(
  looking: Looking,
  by: string,
  onFault: (error: unknown) => void,
): SightingRecorder {
  const { storage, target, isDry, atMs } = looking;
  /** Hosts by what they were recognized by, too. */
  const found = new Map<string, Found>();
  const missed: Missed[] = [];
  const hosts = new Set<string>();
  const counts = forPlurals(SIGHTED_KINDS, () => 0);
  const record = createPersistentRecording(onFault);
  let size = 0;

  async function flush(): Promise<void> {
    const batches = [...found.values()];
    found.clear();
    size = 0;
    if (isDry) return;
    for (const { kind, how, ids } of batches)
      await record(() =>
        storage.sightings.found(target.scope, kind, ids, { atMs, by, how, author: target.work.author }),
      );
  }

  /** Counts missed entities. @returns those to list, after the ones listed already */
  function count(some: readonly Missed[], listed: number): readonly Missed[] {
    for (const { kind } of some) counts[kind]++;
    return some.slice(0, MOST_LISTED - listed);
  }

  return {
    take: async ({ id, sighting }) => {
      if (id !== null) hosts.add(id);
      if (sighting === null) return;
      for (const [kind, ids] of Object.entries(sighting.found) as [SightedKind, readonly string[]][]) {
        if (ids.length === 0) continue;
        const how = kind === "hosts" ? (sighting.how ?? null) : undefined;
        const key = `${kind} ${how ?? ""}`;
        const batch = found.get(key) ?? { kind, how, ids: [] };
        batch.ids.push(...ids);
        found.set(key, batch);
        size += ids.length;
      }
      missed.push(...count(sighting.missed, missed.length));
      await record(() => noteMissed(looking, sighting.missed));
      if (size >= TOGETHER) await flush();
    },
    missing: async function* (covered, summary) {
      await flush();
      yield* missed.map((one) => missingOf(one, looking));
      let listed = missed.length;
      const others = covered === null ? [] : missingIn(looking, covered, hosts);
      for await (const some of others) {
        const first = count(some, listed);
        listed += first.length;
        yield* first.map((one) => missingOf(one, looking));
      }
      summary.missing = counts;
    },
  };
}

/**
 * Creates a function that records persistently. Records that fail are dropped: they are not worth failing the import,
 * nor, without a database, another wait for each.
 */
function createPersistentRecording(onFault: (error: unknown) => void): (note: () => Promise<void>) => Promise<void> {
  let isAway = false;
  return async (note) => {
    for (let attempt = 1; !isAway; attempt++)
      try {
        await note();
        return;
      } catch (error) {
        if (attempt < ATTEMPTS) continue;
        isAway = asAppError(error).code === "unavailable";
        onFault(error);
        return;
      }
  };
}

function missingOf({ kind, id, hostId, name, seen, since }: Missed, { target, atMs }: Looking): Missing {
  const missed_since = since ?? new Date(atMs).toISOString();
  return { entity: ENTITIES[kind], id, network_id: target.networkId, host_id: hostId, name, seen, missed_since };
}
