import { createHash } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { AppError } from "../errors.js";
import { REMEMBERED_BYTES, REMEMBERED_HOURS } from "../contract/writes.js";
import { UNCONFIRMED } from "../mongo/connect.js";
import { FIRST_FORM } from "../mongo/forms.js";
import { isDuplicateKey, mapMongoFault } from "../mongo/faults.js";

// Answers of writes that had an idempotency key. Each is written in the transaction of its effect: first without the answer,
// so that a concurrent repeat of the request collides with it, and at the end with it.

/** Collection of the answers. */
export const ANSWERS = "answers";

/** The index by which answers are removed. */
export const ANSWERS_EXPIRE = { key: { expires_at: 1 }, expireAfterSeconds: 0 } as const;

export interface AnswerDocument {
  /** Of the user and the key. */
  _id: string;
  organization_id: string;
  /** Of the method, the path and the body. */
  fingerprint: string;
  expires_at: Date;
  form: number;
  /** The network of what was answered; null for what belongs to the organization, absent when nothing was answered. */
  network_id?: string | null;
  revision?: string;
  /** The JSON text of the data, and what `meta` has besides; absent when they are too long, or secret. */
  json?: string;
  meta?: string;
  /** Of the entity, whose present state stands for an answer that is too long. */
  entity_id?: string;
  is_secret?: boolean;
}

const DAY_MS = 86_400_000;

/** How many keys a user has used on a day, beside the answers. */
interface UsedDocument {
  /** Of the user and the day. */
  _id: string;
  organization_id: string;
  used: number;
  expires_at: Date;
  form: number;
}

/** Which request is repeated, and by whom. */
export interface Remembering {
  readonly organizationId: string;
  readonly userId: string;
  /** Of the user and the key, see {@link placeOf}. */
  readonly place: string;
  readonly fingerprint: string;
  readonly isSecret: boolean;
  /** What is answered is a network itself. */
  readonly isNetwork: boolean;
  readonly isDeletion: boolean;
}

/** An answer before it is sent. */
export interface Made {
  readonly json: string;
  readonly meta?: string;
  readonly revision?: string;
}

/** Thrown by {@link RememberedAnswers.take} when another request has the same key. */
export class Taken extends Error {
  override readonly name = "Taken";
}

export interface RememberedAnswers {
  find(remembering: Remembering): Promise<AnswerDocument | null>;
  /**
   * Counts a key that is about to be taken.
   *
   * @throws AppError `quota_exceeded` when the user has used as many today as a user may
   */
  count(remembering: Remembering): Promise<void>;
  /** Counts it no longer: nothing was remembered. */
  discount(remembering: Remembering): Promise<void>;
  /** Takes the key until the transaction ends. @throws Taken */
  take(session: ClientSession, remembering: Remembering): Promise<void>;
  /** The request at a place of its own, when its user has used the key in another organization; null otherwise. */
  apart(remembering: Remembering): Promise<Remembering | null>;
  /** Keeps the answer with the key that was taken. */
  keep(session: ClientSession, remembering: Remembering, made: Made): Promise<void>;
}

/** @param mostKeys that a user may use a day */
export function createRememberedAnswers(db: Db, mostKeys: number): RememberedAnswers {
  const answers = db.collection<AnswerDocument>(ANSWERS);
  // Each write of a user counts here, so it is no part of their transactions; a count that is lost with a server is no harm.
  const counts = db.collection<UsedDocument>(ANSWERS, { writeConcern: UNCONFIRMED });

  async function count(remembering: Remembering, apart = false): Promise<void> {
    const day = dayOf(remembering, apart);
    const today = { ...day, used: { $lt: mostKeys } };
    const $setOnInsert = { expires_at: new Date(Date.now() + 2 * DAY_MS), form: FIRST_FORM.version };
    try {
      await counts.updateOne(today, { $inc: { used: 1 }, $setOnInsert }, { upsert: true, hint: { _id: 1 } });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Made at the same moment by another request, full, or of another organization of the user.
      const { matchedCount } = await counts.updateOne(today, { $inc: { used: 1 } }, { hint: { _id: 1 } });
      if (matchedCount === 1) return;
      const isFull = apart || (await counts.findOne(day, { projection: { _id: 1 } })) !== null;
      if (isFull) throw new AppError("quota_exceeded", { entity: "IdempotencyKey", limit: mostKeys });
      await count(remembering, true);
    }
  }

  return {
    count,
    discount: async (remembering) => {
      const days = [dayOf(remembering), dayOf(remembering, true)].map(({ _id }) => _id);
      const today = { _id: { $in: days }, organization_id: remembering.organizationId };
      await counts.updateOne(today, { $inc: { used: -1 } }, { hint: { _id: 1 } });
    },
    find: (remembering) => answers.findOne(at(remembering), { hint: { _id: 1 } }),
    take: async (session, remembering) => {
      const { fingerprint, organizationId: organization_id, place: _id } = remembering;
      const expires_at = new Date(Date.now() + REMEMBERED_HOURS * 3_600_000);
      try {
        const form = FIRST_FORM.version;
        await answers.insertOne({ _id, organization_id, fingerprint, expires_at, form }, { session });
      } catch (error) {
        if (isDuplicateKey(error) || mapMongoFault(error)?.code === "write_conflict") throw new Taken();
        throw error;
      }
    },
    apart: async (remembering) => {
      const { organizationId, place } = remembering;
      const others = { _id: place, organization_id: { $ne: organizationId } };
      const isUsed = (await answers.findOne(others, { projection: { _id: 1 }, hint: { _id: 1 } })) !== null;
      return isUsed ? { ...remembering, place: placeApart(place, organizationId) } : null;
    },
    keep: async (session, remembering, made) => {
      await answers.updateOne(at(remembering), { $set: keptOf(remembering, made) }, { session, hint: { _id: 1 } });
    },
  };
}

/** Where a day of a user is counted. @param apart beside another organization of the user, which has the usual place */
function dayOf({ organizationId, userId }: Remembering, apart = false): { _id: string; organization_id: string } {
  const usual = `${userId} ${new Date().toISOString().slice(0, 10)}`;
  return { _id: apart ? placeApart(usual, organizationId) : usual, organization_id: organizationId };
}

/** Where the answer to a write is kept. */
export function placeOf(userId: string, key: string): string {
  return createHash("sha256").update(`${userId} ${key}`).digest("base64url");
}

/** The place in an organization of who has used the usual one in another organization. */
function placeApart(usual: string, organizationId: string): string {
  return `${usual} ${organizationId}`;
}

function at({ organizationId, place }: Remembering): { _id: { $in: string[] }; organization_id: string } {
  return { _id: { $in: [place, placeApart(place, organizationId)] }, organization_id: organizationId };
}

function keptOf({ isSecret, isNetwork }: Remembering, { json, meta = "", revision }: Made): Partial<AnswerDocument> {
  if (isSecret) return { is_secret: true };
  const data = JSON.parse(json) as Data;
  const kept = { ...(revision !== undefined && { revision }), ...networkOf(data, isNetwork) };
  if (Buffer.byteLength(json) > REMEMBERED_BYTES)
    return { ...kept, ...(data?.id !== undefined && { entity_id: data.id }) };
  const isWhole = Buffer.byteLength(json) + Buffer.byteLength(meta) <= REMEMBERED_BYTES;
  return { ...kept, json, ...(isWhole && meta !== "" && { meta }) };
}

/** What is answered, as far as it matters here. */
type Data = { readonly id?: string; readonly network_id?: string } | null;

/** The network that an entity is in, or is. */
function networkOf(data: Data, isNetwork: boolean): { network_id?: string | null } {
  if (data?.id === undefined) return {};
  return { network_id: (isNetwork ? data.id : data.network_id) ?? null };
}
