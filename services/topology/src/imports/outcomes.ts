import type { Storage } from "../storage/storage.js";
import type { Target } from "./apply.js";
import { type Recognized, recognizedAs } from "./plan.rules.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import type { Job, Outcome } from "./session.js";
import { namesOf, sizesOf } from "./store.js";
import type { Remote } from "./thread.js";

// Existing hosts are planned with all their children, which are read here and copied to the thread.

/** Children of existing hosts planned together; a single host may have more. */
const MOST_CHILDREN = 3_000;

interface Planning {
  readonly storage: Storage;
  readonly session: Remote;
  readonly target: Target;
  readonly isDry: boolean;
}

/** The outcomes of existing hosts, by index; new ones are planned when written. */
export type Outcomes = ReadonlyMap<number, Outcome>;

export async function outcomesOf(run: Planning, jobs: readonly Job[]): Promise<Outcomes> {
  const { storage, session, target, isDry } = run;
  const losers = jobs.flatMap((job) => job.losers);
  const given = { now: new Date().toISOString(), isDry, names: await namesOf(storage, target.scope, losers) };
  const outcomes = new Map<number, Outcome>();
  for (const part of partsOf(jobs, await sizesOf(storage, target.scope, matchedIn(jobs)))) {
    const current = await asTheyAre(run, part);
    const planned = await session.planAll(current, given);
    for (const [at, outcome] of planned.entries()) outcomes.set(current[at]?.index ?? -1, outcome);
  }
  return outcomes;
}

/** Groups of hosts with a bounded number of children. @param sizes by host */
export function partsOf<T extends Pick<Job, "match">>(jobs: readonly T[], sizes: ReadonlyMap<string, number>): T[][] {
  const parts: T[][] = [[]];
  let room = MOST_CHILDREN;
  for (const job of jobs) {
    const size = job.match === null ? 0 : (sizes.get(job.match.hostId) ?? 0);
    if (size > room) {
      parts.push([]);
      room = MOST_CHILDREN;
    }
    parts.at(-1)?.push(job);
    room -= size;
  }
  return parts.filter((part) => part.length > 0);
}

async function asTheyAre(
  { storage, target, isDry }: Planning,
  jobs: readonly Job[],
): Promise<{ index: number; known: Recognized | null }[]> {
  const ids = matchedIn(jobs);
  const recognized = recognizedFor(
    jobs,
    ids.length === 0 ? [] : await storage.hosts.findWithChildren(target.scope, ids),
  );
  if (!isDry) return recognized;
  const byIndex = new Map(recognized.map(({ index, known }) => [index, known]));
  return jobs.map(({ index }) => ({ index, known: byIndex.get(index) ?? null }));
}

/** The hosts of jobs, among those that were read. */
export function recognizedFor(
  jobs: readonly Job[],
  found: readonly KnownHost[],
): { readonly index: number; readonly known: Recognized }[] {
  const byId = new Map(found.map((known) => [known.host.entity.id, known]));
  return jobs.flatMap(({ index, match }) => {
    const there = match === null ? undefined : byId.get(match.hostId);
    return match === null || there === undefined ? [] : [{ index, known: recognizedAs(there, match) }];
  });
}

/** The ids of existing hosts. */
export function matchedIn(jobs: readonly Job[]): string[] {
  return jobs.flatMap(({ match }) => (match === null ? [] : [match.hostId]));
}
