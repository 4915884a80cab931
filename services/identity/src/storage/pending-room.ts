import type { Db } from "mongodb";

// Anyone may start a sign-in without an account, so each kind is kept to a number per address block and in all.

interface PendingDocument {
  _id: string;
  address_block: string;
  created_at: Date;
  expires_at: Date;
}

/** Deletes the oldest pending sign-ins of an address block, and of all, so that one more can be inserted. */
export type MakeRoom = (addressBlock: string) => Promise<void>;

export function createMakeRoom(
  db: Db,
  collection: string,
  { mostOfAddress, mostInAll }: { readonly mostOfAddress: number; readonly mostInAll: number },
): MakeRoom {
  const pending = db.collection<PendingDocument>(collection);
  return async (address_block) => {
    const older = pending.find({ address_block }, { projection: { _id: 1 } });
    const ids = await older
      .sort({ created_at: -1 })
      .skip(mostOfAddress - 1)
      .limit(mostOfAddress)
      .toArray();
    // The collection's own count, whose cost does not depend on the number.
    const beyond = (await pending.estimatedDocumentCount()) - mostInAll + 1;
    if (beyond > 0) {
      const oldest = pending.find({}, { projection: { _id: 1 } }).sort({ expires_at: 1 });
      ids.push(...(await oldest.limit(Math.min(beyond, 100)).toArray()));
    }
    if (ids.length > 0) await pending.deleteMany({ _id: { $in: ids.map(({ _id }) => _id) } });
  };
}
