import { AppError } from "./errors.js";

/**
 * Maximums for an organization none of whose Owners has a verified address: enough to try everything. Accounts are free,
 * so without them the maximums of others would not limit anybody.
 */
export const UNVERIFIED_QUOTAS = {
  entities: 1_000,
  networks: 10,
  tags: 50,
  views: 10,
  shares: 5,
  webhooks: 2,
  collectors: 3,
  keys: 10,
  invites: 5,
  serviceAccounts: 5,
} as const;

/** What a quota limits. */
export interface Quota {
  /** As in the contract. */
  readonly entity: string;
  readonly limit: number;
  /** The maximum until an Owner has verified the address. */
  readonly unverified: number;
}

/**
 * @returns how many more there is room for
 * @throws AppError `quota_exceeded` · `owner_unverified` if there is none
 */
export function requireRoomFor(count: number, quota: Quota, isUnverified: boolean | undefined): number {
  const { entity, limit, unverified } = quota;
  if (count >= limit) throw new AppError("quota_exceeded", { entity, limit });
  if (isUnverified !== true) return limit - count;
  if (count >= unverified) throw new AppError("owner_unverified", { entity, limit: unverified });
  return Math.min(limit, unverified) - count;
}

/** What an organization may use of the database at the same time, in each process. */
export interface ShareLimits {
  /** Maximum concurrent reads and transactions of an organization. */
  readonly operations: number;
  /** Maximum queued ones. */
  readonly waiting: number;
  /** Maximum milliseconds in the queue. */
  readonly waitMs: number;
  /** Maximum open streams of an organization. */
  readonly streams: number;
  /** Maximum queued ones: as many as a program reads side by side. */
  readonly streamsWaiting: number;
  /** Maximum milliseconds until one is open; what it reads waits in the other queue. */
  readonly streamWaitMs: number;
}

/** By default. */
export const SHARE_LIMITS: ShareLimits = {
  operations: 4,
  waiting: 512,
  waitMs: 5_000,
  streams: 4,
  streamsWaiting: 12,
  streamWaitMs: 2_000,
};
