import {
  type Collector,
  type CollectorInput,
  type CollectorSchedule,
  type CollectorSense,
  type CollectorTargets,
  type CollectorUpdate,
  type CollectorWindow,
  DEFAULT_PACKETS_PER_SECOND,
  DEFAULT_SCHEDULE,
  LATE_AFTER_SECONDS,
  OFFLINE_AFTER_SECONDS,
} from "@nts/shared/contract/collectors";
import type { CollectorPlan } from "@nts/shared/contract/internal";
import { isOpen, nextRunAfter, opensAfter, planFault } from "@nts/shared/collector-schedule";
import { outsideOf, targetsFault } from "@nts/shared/collector-targets";
import { AppError, validationFailed } from "@nts/shared/errors";
import { changesTo } from "./revisions.rules.js";

// A collector is a credential with settings: a machine that enrols with its token gets its key.

export interface CollectorDocument {
  _id: string;
  created_at: Date;
  updated_at: Date;
  revision: number;
  organization_id: string;
  network_id: string;
  /** Who created it. */
  user_id: string;
  name: string;
  is_enabled: boolean;
  schedule: CollectorSchedule | null;
  window: CollectorWindow | null;
  targets: CollectorTargets;
  packets_per_second: number;
  /** The last one, kept after its use, so that a second machine is told. Absent for none. */
  token?: { readonly hash: string; readonly expires_at: Date; readonly used_at: Date | null };
  /** Null until a machine has enrolled. */
  key: CollectorKey | null;
  hostname: string | null;
  version: string | null;
  senses: CollectorSense[];
  enrolled_at: Date | null;
  last_seen_at: Date | null;
}

export interface CollectorKey {
  readonly hash: string;
  readonly issued_at: Date;
  /** Keys that were replaced, newest first. */
  readonly previous: readonly { readonly hash: string; readonly expires_at: Date }[];
}

/** The members that people set. */
export type CollectorSettings = Pick<
  CollectorDocument,
  "name" | "is_enabled" | "schedule" | "window" | "targets" | "packets_per_second"
>;

const DAY_MS = 86_400_000;
/** How long a replaced key is good, and how many of them. */
const PREVIOUS_MS = DAY_MS;
const MOST_PREVIOUS = 3;
/** A key is not replaced more often: each replacement has to reach all gateways. */
export const LEAST_KEY_MS = 60_000;
/** From when on a key should be replaced, or earlier by the maximum lifetime of secrets. */
const ROTATED_AFTER_DAYS = 30;

/** A filter for the collector with a key, current or replaced. */
export function withCollectorKey(hashes: readonly string[]): {
  $or: [{ "key.hash": { $in: string[] } }, { "key.previous.hash": { $in: string[] } }];
} {
  const known = { $in: [...hashes] };
  return { $or: [{ "key.hash": known }, { "key.previous.hash": known }] };
}

/** Until when a key is good; null if it is not one of the collector. */
export function endOfCollectorKey(
  { key }: Pick<CollectorDocument, "key">,
  hash: string,
  maxLifetimeDays: number | null,
): Date | "never" | null {
  if (key === null) return null;
  if (key.hash !== hash) return key.previous.find((one) => one.hash === hash)?.expires_at ?? null;
  return maxLifetimeDays === null ? "never" : new Date(key.issued_at.getTime() + maxLifetimeDays * DAY_MS);
}

/** When a collector should replace its key: well before it ends. */
export function rotationOf({ issued_at }: CollectorKey, maxLifetimeDays: number | null): Date {
  const days = Math.min(ROTATED_AFTER_DAYS, maxLifetimeDays === null ? Infinity : maxLifetimeDays / 2);
  return new Date(issued_at.getTime() + days * DAY_MS);
}

/** The key after a rotation; the ones before it are good for a while, as the response may be lost. */
export function rotatedKey(key: CollectorKey, hash: string, now: Date): CollectorKey {
  const replaced = { hash: key.hash, expires_at: new Date(now.getTime() + PREVIOUS_MS) };
  const living = key.previous.filter(({ expires_at }) => expires_at > now);
  return { hash, issued_at: now, previous: [replaced, ...living].slice(0, MOST_PREVIOUS) };
}

/** How a collector is named where others have the address of a user. */
export function nameInLogs({ name }: Pick<CollectorDocument, "name">): string {
  return `collector ${name}`;
}

/** What it is told to do. */
export function planOf(collector: CollectorDocument): CollectorPlan {
  const { schedule, window, targets, packets_per_second, senses } = collector;
  const ready = senses.filter(({ state }) => state === "ready").map(({ name }) => name);
  return { schedule, window, targets, packets_per_second, senses: ready };
}

const LINKS_OF_MACHINE: CollectorTargets = { cidrs: [], exclude: [] };

/** The settings of a new collector. @throws AppError `validation_failed` */
export function newCollectorSettings(input: CollectorInput, now: Date): CollectorSettings {
  const { name, is_enabled = true, schedule = DEFAULT_SCHEDULE, window = null } = input;
  const { targets = LINKS_OF_MACHINE, packets_per_second = DEFAULT_PACKETS_PER_SECOND } = input;
  return valid({ name, is_enabled, schedule, window, targets, packets_per_second }, now);
}

/** What an update changes; empty for nothing. @throws AppError `validation_failed` · `network_mismatch` */
export function collectorChanges(
  current: CollectorDocument,
  { network_id, ...input }: CollectorUpdate,
  now: Date,
): Partial<CollectorSettings> {
  if (network_id !== undefined && network_id !== current.network_id)
    throw new AppError("network_mismatch", { path: "network_id" });
  const changes = changesTo<CollectorSettings>(current, input);
  if (Object.keys(changes).length > 0) valid({ ...current, ...changes }, now);
  return changes;
}

function valid(settings: CollectorSettings, now: Date): CollectorSettings {
  const fault = planFault(settings, now) ?? targetsFault(settings.targets);
  if (fault !== null) throw validationFailed(fault);
  return settings;
}

/** Why it cannot look around now, as parameters of `collector_not_ready`; null if it can. */
export function notReady(collector: CollectorDocument, now: Date): { reason: string; opens_at?: string } | null {
  const { is_enabled, window } = collector;
  const state = stateOf(collector, now);
  if (!is_enabled) return { reason: "disabled" };
  if (state === "pending" || state === "offline") return { reason: state };
  if (window === null || isOpen(window, now)) return null;
  return { reason: "window_closed", opens_at: opensAfter(window, now).toISOString() };
}

/** What a request to look around asks for. @throws AppError `validation_failed` for targets outside its own */
export function requestedTargets(
  { targets: own }: Pick<CollectorDocument, "targets">,
  requested: CollectorTargets | undefined,
): CollectorTargets {
  if (requested === undefined) return own;
  const fault = targetsFault(requested);
  if (fault !== null) throw validationFailed(fault);
  const at = outsideOf(requested.cidrs, own.cidrs);
  if (at !== -1)
    throw validationFailed({
      path: `targets.cidrs.${at}`,
      message: `must lie inside the targets of the collector: ${own.cidrs.join(", ")}`,
    });
  return {
    cidrs: requested.cidrs.length === 0 ? own.cidrs : requested.cidrs,
    exclude: [...new Set([...own.exclude, ...requested.exclude])],
  };
}

function stateOf({ enrolled_at, key, last_seen_at }: CollectorDocument, now: Date): Collector["state"] {
  if (enrolled_at === null || key === null) return "pending";
  const silentMs = now.getTime() - (last_seen_at ?? enrolled_at).getTime();
  if (silentMs < LATE_AFTER_SECONDS * 1_000) return "online";
  return silentMs < OFFLINE_AFTER_SECONDS * 1_000 ? "late" : "offline";
}

/** A collector as returned to clients. */
export function collectorResponse(collector: CollectorDocument, now: Date): Collector {
  const { last_seen_at, is_enabled, token } = collector;
  const isUnused = token?.used_at === null && token.expires_at > now;
  return {
    ...collectorState(collector),
    state: stateOf(collector, now),
    last_seen_at: last_seen_at?.toISOString() ?? null,
    token_expires_at: isUnused ? token.expires_at.toISOString() : null,
    next_run_at: is_enabled ? (nextRunAfter(collector, now)?.toISOString() ?? null) : null,
  };
}

/** The members that do not change by themselves. */
export function collectorState(
  collector: CollectorDocument,
): Omit<Collector, "state" | "last_seen_at" | "token_expires_at" | "next_run_at"> {
  const { _id: id, created_at, updated_at, network_id, user_id, name, is_enabled } = collector;
  const { enrolled_at, hostname, version, senses, schedule, window, targets, packets_per_second } = collector;
  return {
    ...{ id, created_at: created_at.toISOString(), updated_at: updated_at.toISOString(), network_id, user_id, name },
    ...{ is_enabled, enrolled_at: enrolled_at?.toISOString() ?? null, hostname, version, senses },
    ...{ schedule, window, targets, packets_per_second },
  };
}
