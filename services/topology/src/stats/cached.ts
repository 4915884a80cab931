import { performance } from "node:perf_hooks";
import { LRUCache } from "lru-cache";
import type { Scope } from "@nts/shared/http/tenancy";
import { digestOf, digestOfIds } from "../storage/digest.js";
import type { Counting } from "./count.js";
import { type ExactStats, jsonOf } from "./exact.rules.js";

// Statistics are cached for ten times the duration of counting, and counted once at a time per organization. Counting therefore takes
// at most about a tenth of the time, regardless of request frequency.

const TIMES = 10;
const LEAST_MS = 1_000;
/** Maximum cached results, of some kilobytes each. */
const MOST_KEPT = 500;

export interface Cached {
  readonly stats: ExactStats;
  /** Depends on the numbers only, not on the time of counting. */
  readonly etag: string;
}

/** Returns the cached statistics of a scope and rights, or counts. */
export type CachedStats = (
  counted: Pick<Counting, "scope" | "rights">,
  count: () => Promise<ExactStats>,
) => Promise<Cached>;

export function createCachedStats(leastMs = LEAST_MS): CachedStats {
  const kept = new LRUCache<string, Cached>({ max: MOST_KEPT, ttl: leastMs });
  /** Running counts by scope and rights, and the last one of each organization. */
  const running = new Map<string, Promise<Cached>>();
  const last = new Map<string, Promise<unknown>>();

  async function counted(
    key: string,
    before: Promise<unknown> | undefined,
    count: () => Promise<ExactStats>,
  ): Promise<Cached> {
    await before?.catch(() => undefined);
    const startedMs = performance.now();
    const stats = await count();
    const one = { stats, etag: etagOf(stats) };
    kept.set(key, one, { ttl: Math.max(leastMs, TIMES * (performance.now() - startedMs)) });
    return one;
  }

  return ({ scope, rights }, count) => {
    const { organizationId } = scope;
    const key = `${organizationId} ${networksOf(scope)} ${networksOf(rights)}`;
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const mine =
      running.get(key) ??
      counted(key, last.get(organizationId), count).finally(() => {
        running.delete(key);
        if (last.get(organizationId) === mine) last.delete(organizationId);
      });
    running.set(key, mine);
    last.set(organizationId, mine);
    return mine;
  };
}

function networksOf({ networks }: Scope): string {
  return networks === "all" ? "all" : digestOfIds(networks);
}

function etagOf(stats: ExactStats): string {
  return digestOf(jsonOf({ ...stats, at: "" }));
}
