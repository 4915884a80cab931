import type { ClientSession, Db } from "mongodb";

export const KEY_ADDRESSES = "key_addresses";

/** Addresses from which a key was used. */
export interface KeyAddresses {
  _id: string;
  organization_id: string;
  blocks: string[];
}

/** Removes the addresses of deleted keys. */
export async function forgetAddresses(
  db: Db,
  keys: readonly { readonly _id: string }[],
  tx: ClientSession,
): Promise<void> {
  const ids = keys.map(({ _id }) => _id);
  await db.collection<KeyAddresses>(KEY_ADDRESSES).deleteMany({ _id: { $in: ids } }, { session: tx });
}
