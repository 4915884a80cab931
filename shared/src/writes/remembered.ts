import type { ClientSession, Db } from "mongodb";
import { AppError } from "../errors.js";
import type { Remembering } from "../http/write-request.js";
import { REMEMBERED_BYTES, REMEMBERED_HOURS } from "../contract/writes.js";
import { UNCONFIRMED } from "../mongo/connect.js";
import { FIRST_FORM } from "../mongo/forms.js";
import { isDuplicateKey, mapMongoFault } from "../mongo/faults.js";

// Stored responses of writes with an idempotency key. Each is inserted in the transaction of its write, so that
// concurrent retries conflict with it, and completed at the end.

/** Collection of the responses. */
export const REMEMBERED_COLLECTION = "answers";

/** The TTL index. */
export const REMEMBERED_EXPIRE = { key: { expires_at: 1 }, expireAfterSeconds: 0 } as const;

export interface RememberedResponse {
  /** Of the user and the key. */
  _id: string;
  organization_id: string;
  /** Of the method, path and body. */
  fingerprint: string;
  expires_at: Date;
  form: number;
  /** The network of the result; null if it belongs to the organization, absent without a result. */
  network_id?: string | null;
  revision?: string;
  /** The JSON text of the data, and further members of `meta`; absent if too long or secret. */
  json?: string;
  meta?: string;
  /** Of the entity, whose current state replaces a response that is too long. */
  entity_id?: string;
  is_secret?: boolean;
}

const DAY_MS = 86_400_000;

/** How many keys a user has used on a day, stored next to the responses. */
interface UsedDocument {
  /** Of the user and the day. */
  _id: string;
  organization_id: string;
  used: number;
  expires_at: Date;
  form: number;
}

/** A response before it is sent. */
export interface Made {
  readonly json: string;
  readonly meta?: string;
  readonly revision?: string;
}

/** Thrown by {@link RememberedResponses.take} if another request has the same key. */
export class Taken extends Error {
  override readonly name = "Taken";
}

export interface RememberedResponses {
  find(remembering: Remembering): Promise<RememberedResponse | null>;
  /**
   * Counts a key before it is taken.
   *
   * @throws AppError `quota_exceeded` if the user has reached the daily maximum
   */
  count(remembering: Remembering): Promise<void>;
  /** Reverts the count if nothing was stored. */
  discount(remembering: Remembering): Promise<void>;
  /** Takes the key until the transaction ends. @throws Taken */
  take(session: ClientSession, remembering: Remembering): Promise<void>;
  /** The request under its own place if its user has used the key in another organization; otherwise null. */
  apart(remembering: Remembering): Promise<Remembering | null>;
  /** Stores the response with the taken key. */
  keep(session: ClientSession, remembering: Remembering, made: Made): Promise<void>;
}

/** @param mostKeys per user and day */
export function createRememberedResponses(db: Db, mostKeys: number): RememberedResponses {
  const responses = db.collection<RememberedResponse>(REMEMBERED_COLLECTION);
  // Each write of a user counts here, so it is outside their transactions; a count lost with a server does no harm.
  const counts = db.collection<UsedDocument>(REMEMBERED_COLLECTION, { writeConcern: UNCONFIRMED });

  async function count(remembering: Remembering, apart = false): Promise<void> {
    const day = dayOf(remembering, apart);
    const today = { ...day, used: { $lt: mostKeys } };
    const $setOnInsert = { expires_at: new Date(Date.now() + 2 * DAY_MS), form: FIRST_FORM.version };
    try {
      await counts.updateOne(today, { $inc: { used: 1 }, $setOnInsert }, { upsert: true, hint: { _id: 1 } });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      // Created concurrently by another request, full, or of another organization of the user.
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
    find: (remembering) => responses.findOne(at(remembering), { hint: { _id: 1 } }),
    take: async (session, remembering) => {
      const { fingerprint, organizationId: organization_id, place: _id } = remembering;
      const expires_at = new Date(Date.now() + REMEMBERED_HOURS * 3_600_000);
      try {
        const form = FIRST_FORM.version;
        await responses.insertOne({ _id, organization_id, fingerprint, expires_at, form }, { session });
      } catch (error) {
        if (isDuplicateKey(error) || mapMongoFault(error)?.code === "write_conflict") throw new Taken();
        throw error;
      }
    },
    apart: async (remembering) => {
      const { organizationId, place } = remembering;
      const others = { _id: place, organization_id: { $ne: organizationId } };
      const isUsed = (await responses.findOne(others, { projection: { _id: 1 }, hint: { _id: 1 } })) !== null;
      return isUsed ? { ...remembering, place: placeApart(place, organizationId) } : null;
    },
    keep: async (session, remembering, made) => {
      await responses.updateOne(at(remembering), { $set: keptOf(remembering, made) }, { session, hint: { _id: 1 } });
    },
  };
}

/** The id of a user's daily count. @param apart for a further organization of the user */
function dayOf({ organizationId, userId }: Remembering, apart = false): { _id: string; organization_id: string } {
  const usual = `${userId} ${new Date().toISOString().slice(0, 10)}`;
  return { _id: apart ? placeApart(usual, organizationId) : usual, organization_id: organizationId };
}

/** The id for an organization if the user has used the usual one in another. */
function placeApart(usual: string, organizationId: string): string {
  return `${usual} ${organizationId}`;
}

function at({ organizationId, place }: Remembering): { _id: { $in: string[] }; organization_id: string } {
  return { _id: { $in: [place, placeApart(place, organizationId)] }, organization_id: organizationId };
}

function keptOf(
  { isSecret, isNetwork }: Remembering,
  { json, meta = "", revision }: Made,
): Partial<RememberedResponse> {
  if (isSecret) return { is_secret: true };
  const data = JSON.parse(json) as Data;
  const kept = { ...(revision !== undefined && { revision }), ...networkOf(data, isNetwork) };
  if (Buffer.byteLength(json) > REMEMBERED_BYTES)
    return { ...kept, ...(data?.id !== undefined && { entity_id: data.id }) };
  const isWhole = Buffer.byteLength(json) + Buffer.byteLength(meta) <= REMEMBERED_BYTES;
  return { ...kept, json, ...(isWhole && meta !== "" && { meta }) };
}

/** The relevant parts of a result. */
type Data = { readonly id?: string; readonly network_id?: string } | null;

/** The network of an entity, or the network itself. */
function networkOf(data: Data, isNetwork: boolean): { network_id?: string | null } {
  if (data?.id === undefined) return {};
  return { network_id: (isNetwork ? data.id : data.network_id) ?? null };
}
