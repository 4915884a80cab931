import type { ClientSession, Filter } from "mongodb";
import { BACKGROUND } from "@nts/shared/work";
import type { Database } from "../database.js";
import { type Documents, type Formed, type Forms, openDocuments, without } from "../documents.js";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { KeyDocument } from "../keys/key.rules.js";
import type { UserDocument } from "../users/user.js";

/**
 * Removes deleted networks from the grants and restrictions of an organization. An emptied restriction stays a
 * restriction.
 */
export type ForgetNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

interface ForgottenNetworks {
  readonly organizationId: string;
  readonly networkIds: readonly string[];
  readonly now: Date;
}

type Holder = Formed & Pick<KeyDocument, "organization_id" | "network_ids">;

export function createForgetNetworks(
  { db, share }: Database,
  changeRights: ChangeRights,
  forms?: Forms,
): ForgetNetworks {
  const holders = (["users", "api_keys", "invites"] as const).map(
    (kind) => openDocuments(db, kind, forms) as unknown as Documents<Holder>,
  );

  const users = db.collection<UserDocument>("users");

  /** In memberships of accounts whose document names another organization. */
  async function forgetOfOthers(filter: Filter<UserDocument>, those: ForgottenNetworks, tx: ClientSession) {
    const membership = "other_memberships.$[membership]";
    const update = {
      $pull: { [`${membership}.network_ids`]: { $in: those.networkIds } },
      $inc: { [`${membership}.revision`]: 1 },
      $max: { [`${membership}.updated_at`]: those.now },
    };
    const arrayFilters = [{ "membership.organization_id": those.organizationId }];
    return (await users.updateMany(filter, update, { arrayFilters, session: tx })).modifiedCount;
  }

  return async (organizationId, networkIds) => {
    const filter = { organization_id: organizationId, network_ids: { $in: [...networkIds] } };
    const ofOthers = { other_memberships: { $elemMatch: filter } };
    const found = await Promise.all([
      ...holders.map(({ collection }) =>
        share(organizationId, () => collection.find(filter, { projection: { _id: 1 } }).toArray()),
      ),
      share(organizationId, () => users.find(ofOthers, { projection: { _id: 1 } }).toArray()),
    ]);
    const subjects = found.flat().map(({ _id }) => _id);
    if (subjects.length === 0) return;
    await changeRights(BACKGROUND, subjects, async (tx: ClientSession) => {
      const members = { network_ids: without("network_ids", networkIds) };
      const now = new Date();
      let changed = 0;
      for (const { collection, changing } of holders)
        changed += (await collection.updateMany(filter, changing(members, now), { session: tx })).modifiedCount;
      changed += await forgetOfOthers(ofOthers, { organizationId, networkIds, now }, tx);
      return changed === 0 ? "conflict" : changed;
    });
  };
}
