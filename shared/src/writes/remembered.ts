import { createHash } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { REMEMBERED_BYTES, REMEMBERED_HOURS } from "../contract/writes.js";
import { FIRST_FORM } from "../mongo/forms.js";
import { isDuplicateKey, mapMongoFault } from "../mongo/faults.js";

// Answers of writes that had an idempotency key. Each is written in the transaction of its effect: first without the answer,
// so that whoever repeats the request meanwhile collides, and at the end with it.

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

/** Who repeats what. */
export interface Remembering {
  readonly organizationId: string;
  readonly userId: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly isSecret: boolean;
  /** What is answered is a network itself. */
  readonly isNetwork: boolean;
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
  /** Takes the key until the transaction ends. @throws Taken */
  take(session: ClientSession, remembering: Remembering): Promise<void>;
  /** Keeps the answer with the key that was taken. */
  keep(session: ClientSession, remembering: Remembering, made: Made): Promise<void>;
}

export function createRememberedAnswers(db: Db): RememberedAnswers {
  const answers = db.collection<AnswerDocument>(ANSWERS);
  return {
    find: (remembering) => answers.findOne(placeOf(remembering), { hint: { _id: 1 } }),
    take: async (session, remembering) => {
      const { fingerprint } = remembering;
      const expires_at = new Date(Date.now() + REMEMBERED_HOURS * 3_600_000);
      try {
        const form = FIRST_FORM.version;
        await answers.insertOne({ ...placeOf(remembering), fingerprint, expires_at, form }, { session });
      } catch (error) {
        if (isDuplicateKey(error) || mapMongoFault(error)?.code === "write_conflict") throw new Taken();
        throw error;
      }
    },
    keep: async (session, remembering, made) => {
      await answers.updateOne(placeOf(remembering), { $set: keptOf(remembering, made) }, { session, hint: { _id: 1 } });
    },
  };
}

function placeOf({ organizationId, userId, key }: Remembering): { _id: string; organization_id: string } {
  const _id = createHash("sha256").update(`${userId} ${key}`).digest("base64url");
  return { _id, organization_id: organizationId };
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
