import type { ClientSession, Db } from "mongodb";
import { BACKGROUND } from "@nts/shared/work";
import type { ChangeRights } from "../key-changes/change-rights.js";

/**
 * Takes networks that are deleted off everybody of an organization who was granted them or limited to them. Whoever has
 * none left is limited to nothing.
 */
export type ForgetNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

interface Holder {
  _id: string;
  organization_id: string;
  network_ids: string[] | null;
}

export function createForgetNetworks(db: Db, changeRights: ChangeRights): ForgetNetworks {
  const holders = ["users", "api_keys", "invites"].map((name) => db.collection<Holder>(name));

  return async (organizationId, networkIds) => {
    const filter = { organization_id: organizationId, network_ids: { $in: [...networkIds] } };
    const pull = { network_ids: { $in: [...networkIds] } };
    const found = await Promise.all(
      holders.map((collection) => collection.find(filter, { projection: { _id: 1 } }).toArray()),
    );
    const subjects = found.flat().map(({ _id }) => _id);
    if (subjects.length === 0) return;
    await changeRights(BACKGROUND, subjects, async (session: ClientSession) => {
      const change = { $pull: pull, $inc: { revision: 1 }, $max: { updated_at: new Date() } };
      let changed = 0;
      for (const collection of holders)
        changed += (await collection.updateMany(filter, change, { session })).modifiedCount;
      return changed === 0 ? null : changed;
    });
  };
}
