import type { ClientSession, Collection, Db, Document } from "mongodb";
import { REMEMBERED_DELIVERIES, type WebhookDelivery } from "@nts/shared/contract";
import { UNCONFIRMED } from "@nts/shared/mongo/connect";
import { BY_ID, PAUSED_INDEX } from "./indexes.js";

// Each webhook's progress and lease. Taking a lease increments the `epoch`, with which all later writes of the holder
// are conditional, so that a suspended holder cannot write after being superseded.

export interface WebhookState {
  /** Id of the webhook. */
  _id: string;
  organization_id: string;
  /** Salt of its secret. */
  salt: string;
  /** The client's address when it was created or taken over; absent if it is unknown. */
  maker_address?: string;
  /** Enabled and not paused. */
  is_active: boolean;
  /** Paused because it failed; absent until then. */
  is_paused?: boolean;
  /** Entries up to here are delivered or filtered out. */
  n: number;
  /** Last entry of the failed message, so that the retry has the same content. */
  last: number | null;
  epoch: number;
  /** The lease holder; null if there is none. */
  owner: string | null;
  /** When it is due; with an owner, when its lease expires. In database time. */
  due_at: Date;
  /** It waits for that time in any case. */
  rests: boolean;
  attempts: number;
  failing_since: Date | null;
  /** Number of recorded deliveries. */
  noted: number;
  /** Last successful delivery; absent before. */
  delivered_at?: Date;
}

/** Webhook and epoch. */
export type Leased = Pick<WebhookState, "_id" | "organization_id" | "epoch">;
export type WebhookRef = Pick<WebhookState, "_id" | "organization_id">;
/** With what its deliveries count towards. */
export type DueWebhook = Pick<WebhookState, "_id" | "organization_id" | "maker_address">;

/** Changes to a leased webhook, except the lease. */
export type Progress = Partial<Pick<WebhookState, "n" | "last" | "attempts" | "failing_since">>;

export interface DeliveryDocument extends Omit<WebhookDelivery, "at"> {
  _id: string;
  organization_id: string;
  webhook_id: string;
  at: Date;
  number: number;
}

export interface WebhookStates {
  insert(
    tx: ClientSession,
    of: WebhookRef,
    given: Pick<WebhookState, "salt" | "is_active" | "n" | "maker_address">,
  ): Promise<void>;
  remove(tx: ClientSession, of: WebhookRef): Promise<void>;
  /** Those of an organization: ends their deliveries. */
  removeAllOf(tx: ClientSession, organizationId: string): Promise<void>;
  /** Revokes the lease, so that a change applies from the next message. */
  change(
    tx: ClientSession,
    of: WebhookRef,
    changes: Partial<Pick<WebhookState, "n" | "is_active" | "salt" | "maker_address">>,
  ): Promise<void>;
  /** The same by its holder. @returns false if another process holds it */
  pause(tx: ClientSession, leased: Leased): Promise<boolean>;
  find(of: WebhookRef): Promise<WebhookState | null>;
  /** Those of an organization. */
  allOf(organizationId: string): Promise<WebhookState[]>;
  /** Due ones of all organizations. */
  due(most: number): Promise<DueWebhook[]>;
  /** Number of paused ones of all organizations. */
  countPaused(): Promise<number>;
  /** Those of an organization that are not backing off. */
  awake(organizationId: string): Promise<DueWebhook[]>;
  /** @returns null if it cannot be taken */
  take(of: WebhookRef, lease: { owner: string; ms: number }): Promise<WebhookState | null>;
  /** Renews the lease. @returns null if another process holds it */
  renew(leased: Leased, ms: number, progress?: Progress): Promise<WebhookState | null>;
  /** @param next when it is due again */
  release(leased: Leased, next: { ms: number; rests: boolean }, progress?: Progress): Promise<boolean>;
  /** Records the result of a delivery, replacing the oldest one. */
  note(of: WebhookRef, delivery: Omit<WebhookDelivery, "at">): Promise<void>;
  /** Newest first. */
  deliveries(of: WebhookRef): Promise<DeliveryDocument[]>;
}

export function createWebhookStates(db: Db): WebhookStates {
  const states = db.collection<WebhookState>("webhook_states");
  const deliveries = db.collection<DeliveryDocument>("webhook_deliveries");
  return { ...createChanges(states, deliveries), ...createLeases(states), ...createNotes(states, deliveries) };
}

type States = Collection<WebhookState>;
type Deliveries = Collection<DeliveryDocument>;
const after = { returnDocument: "after", hint: BY_ID } as const;
const fresh = { owner: null, rests: false, attempts: 0, failing_since: null, last: null } as const;

function createChanges(
  states: States,
  deliveries: Deliveries,
): Pick<WebhookStates, "insert" | "remove" | "removeAllOf" | "change" | "pause" | "find" | "allOf"> {
  return {
    insert: async (tx, of, given) => {
      const state = { ...of, ...given, ...fresh, epoch: 0, due_at: new Date(0), noted: 0 };
      await states.insertOne(state, { session: tx });
    },
    remove: async (tx, { _id, organization_id }) => {
      await states.deleteOne({ _id, organization_id }, { session: tx });
      await deliveries.deleteMany({ organization_id, webhook_id: _id }, { session: tx });
    },
    removeAllOf: async (tx, organization_id) => {
      await states.deleteMany({ organization_id }, { session: tx });
    },
    change: async (tx, { _id, organization_id }, changes) => {
      const resumed = changes.is_active === true && { is_paused: false };
      const update = { $set: { ...changes, ...resumed, ...fresh, due_at: new Date(0) }, $inc: { epoch: 1 } };
      await states.updateOne({ _id, organization_id }, update, { session: tx, hint: BY_ID });
    },
    pause: async (tx, { _id, organization_id, epoch }) => {
      const update = { $set: { ...fresh, is_active: false, is_paused: true }, $inc: { epoch: 1 } };
      const { matchedCount } = await states.updateOne({ _id, organization_id, epoch }, update, { session: tx });
      return matchedCount === 1;
    },
    find: ({ _id, organization_id }) => states.findOne({ _id, organization_id }, { hint: BY_ID }),
    allOf: (organization_id) => states.find({ organization_id }, { hint: { organization_id: 1 } }).toArray(),
  };
}

function createLeases(
  states: States,
): Pick<WebhookStates, "due" | "countPaused" | "awake" | "take" | "renew" | "release"> {
  const REF = { projection: { organization_id: 1, maker_address: 1 } } as const;
  const isDue = { $expr: { $lte: ["$due_at", "$$NOW"] } };
  const dueIn = (ms: number): Document => ({ due_at: { $add: ["$$NOW", ms] } });
  const leased = ({ _id, organization_id, epoch }: Leased) => ({ _id, organization_id, epoch, owner: { $ne: null } });
  // A literal value, whatever it looks like.
  const literal = (progress: Progress): Document =>
    Object.fromEntries(Object.entries(progress).map(([name, value]) => [name, { $literal: value }]));
  return {
    due: (most) =>
      states
        .find({ is_active: true, ...isDue }, REF)
        .sort({ due_at: 1 })
        .limit(most)
        .toArray(),
    countPaused: () => states.countDocuments({ is_paused: true }, { hint: PAUSED_INDEX }),
    awake: (organization_id) => states.find({ organization_id, is_active: true, rests: false }, REF).toArray(),
    take: ({ _id, organization_id }, { owner, ms }) => {
      const free = { _id, organization_id, is_active: true, $or: [{ owner: null, rests: false }, isDue] };
      const lease = { owner: { $literal: owner }, rests: false, epoch: { $add: ["$epoch", 1] }, ...dueIn(ms) };
      return states.findOneAndUpdate(free, [{ $set: lease }], after);
    },
    renew: (given, ms, progress = {}) =>
      states.findOneAndUpdate(leased(given), [{ $set: { ...literal(progress), ...dueIn(ms) } }], after),
    release: async (given, { ms, rests }, progress = {}) => {
      const set = { ...literal(progress), owner: null, rests, ...dueIn(ms) };
      return (await states.updateOne(leased(given), [{ $set: set }], { hint: BY_ID })).matchedCount === 1;
    },
  };
}

function createNotes(states: States, deliveries: Deliveries): Pick<WebhookStates, "note" | "deliveries"> {
  return {
    note: async ({ _id: webhook_id, organization_id }, delivery) => {
      const counted = await states.findOneAndUpdate(
        { _id: webhook_id, organization_id },
        { $inc: { noted: 1 }, ...(delivery.outcome === "delivered" && { $currentDate: { delivered_at: true } }) },
        { ...after, writeConcern: UNCONFIRMED },
      );
      if (counted === null) return;
      const { noted: number } = counted;
      const _id = `${webhook_id}:${number % REMEMBERED_DELIVERIES}`;
      const noted = { ...delivery, organization_id, webhook_id, number, at: new Date() };
      await deliveries.replaceOne({ _id, organization_id }, noted, { upsert: true, writeConcern: UNCONFIRMED });
    },
    deliveries: ({ _id, organization_id }) => {
      const newest = deliveries.find({ organization_id, webhook_id: _id }).sort({ number: -1 });
      return newest.limit(REMEMBERED_DELIVERIES).toArray();
    },
  };
}
