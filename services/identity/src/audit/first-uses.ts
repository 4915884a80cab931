import type { ClientSession, Db } from "mongodb";
import { addressBlockOf } from "@nts/shared/address-block";
import { Discard, type RunTransaction } from "@nts/shared/mongo/transaction";
import { BACKGROUND } from "@nts/shared/work";
import { type KeyDocument, NOBODY } from "../model/key.rules.js";
import type { UserDocument } from "../model/user.js";
import { noteEvent } from "../storage/audit-notes.js";
import { isBelowHourlyLimit, countTowardsHourlyLimit } from "./hourly-limit.js";
import { KEY_ADDRESSES, type KeyAddresses } from "../storage/key-addresses.js";
import { AUDIT_HEADS, type HeadDocument } from "../storage/audit-trail.js";

/** Maximum remembered address blocks of a key; new ones replace the oldest. */
const MOST_BLOCKS = 100;

/** Without the networks, of which a key may have a thousand. */
const OF_KEY = { organization_id: 1 } as const;

type UsedKey = Pick<KeyDocument, "_id" | "organization_id">;

/** A recently used key. */
export interface UsedFrom {
  readonly key_id: string;
  readonly addresses: readonly string[];
}

/** Records first uses of keys from new addresses. Called often; usually a single read. */
export type NoteFirstUses = (uses: readonly UsedFrom[]) => Promise<void>;

export function createNoteFirstUses(db: Db, transaction: RunTransaction, now: () => Date): NoteFirstUses {
  const remembered = db.collection<KeyAddresses>(KEY_ADDRESSES);
  const keys = db.collection<KeyDocument>("api_keys");

  async function write({ _id, organization_id: organizationId }: UsedKey, address: string): Promise<void> {
    await transaction(BACKGROUND, [`audit:${organizationId}`], async (tx) => {
      if (!(await countTowardsHourlyLimit(db, { organizationId, action: "first_used", now: now() }, tx)))
        throw new Discard(null);
      // Read after that write, which key deletion also makes, so nothing is stored for a deleted key.
      const key = await keys.findOne(
        { _id, organization_id: organizationId },
        { session: tx, projection: { ...OF_KEY, user_id: 1, name: 1 } },
      );
      if (key === null || !(await remember(key, addressBlockOf(address), tx))) throw new Discard(null);
      const users = db.collection<UserDocument>("users");
      const user = await users.findOne({ _id: key.user_id }, { projection: { email: 1 }, session: tx });
      const actor = { user_id: key.user_id, key_id: _id, email: user?.email ?? null };
      noteEvent(tx, "key", key, { action: "first_used", actor, address });
    });
  }

  /** @returns false if already known */
  async function remember({ _id, organization_id }: UsedKey, block: string, tx: ClientSession): Promise<boolean> {
    const known = await remembered.findOne({ _id, blocks: block }, { session: tx });
    if (known !== null) return false;
    const added = { $push: { blocks: { $each: [block], $slice: -MOST_BLOCKS } }, $setOnInsert: { organization_id } };
    await remembered.updateOne({ _id }, added, { upsert: true, session: tx });
    return true;
  }

  return async (uses) => {
    const used = uses.filter(({ addresses }) => addresses.length > 0);
    if (used.length === 0) return;
    const known = await remembered.find({ _id: { $in: used.map(({ key_id }) => key_id) } }).toArray();
    const blocksOf = new Map(known.map(({ _id, blocks }) => [_id, blocks]));
    const fresh = new Map<string, string[]>();
    for (const { key_id, addresses } of used) {
      const byBlock = new Map(addresses.map((address) => [addressBlockOf(address), address]));
      for (const block of blocksOf.get(key_id) ?? []) byBlock.delete(block);
      if (byBlock.size > 0) fresh.set(key_id, [...byBlock.values()]);
    }
    if (fresh.size === 0) return;
    const found = await keys
      .find<UsedKey>({ _id: { $in: [...fresh.keys()] }, organization_id: { $ne: NOBODY } }, { projection: OF_KEY })
      .toArray();
    const organizations = found.map(({ organization_id }) => organization_id);
    const heads = await db
      .collection<HeadDocument>(AUDIT_HEADS)
      .find({ _id: { $in: organizations } })
      .toArray();
    const headOf = new Map(heads.map((head) => [head._id, head]));
    for (const key of found) {
      const head = headOf.get(key.organization_id) ?? null;
      if (!isBelowHourlyLimit(head, "first_used", now())) continue;
      for (const address of fresh.get(key._id) ?? []) await write(key, address);
    }
  };
}
