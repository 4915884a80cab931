import type { ClientSession } from "mongodb";
import { BACKGROUND } from "@nts/shared/work";
import type { Database } from "../database.js";
import { type Documents, type Formed, type Forms, openDocuments, without } from "../documents.js";
import type { ChangeRights } from "../key-changes/change-rights.js";
import type { KeyDocument } from "../keys/key.rules.js";

/**
 * Takes networks that are deleted off everybody of an organization who was granted them or limited to them. Whoever has
 * none left is limited to nothing.
 */
export type ForgetNetworks = (organizationId: string, networkIds: readonly string[]) => Promise<void>;

type Holder = Formed & Pick<KeyDocument, "organization_id" | "network_ids">;

export function createForgetNetworks(
  { db, share }: Database,
  changeRights: ChangeRights,
  forms?: Forms,
): ForgetNetworks {
  const holders = (["users", "api_keys", "invites"] as const).map(
    (kind) => openDocuments(db, kind, forms) as unknown as Documents<Holder>,
  );

  return async (organizationId, networkIds) => {
    const filter = { organization_id: organizationId, network_ids: { $in: [...networkIds] } };
    const found = await Promise.all(
      holders.map(({ collection }) =>
        share(organizationId, () => collection.find(filter, { projection: { _id: 1 } }).toArray()),
      ),
    );
    const subjects = found.flat().map(({ _id }) => _id);
    if (subjects.length === 0) return;
    await changeRights(BACKGROUND, subjects, async (tx: ClientSession) => {
      const members = { network_ids: without("network_ids", networkIds) };
      const now = new Date();
      let changed = 0;
      for (const { collection, changing } of holders)
        changed += (await collection.updateMany(filter, changing(members, now), { session: tx })).modifiedCount;
      return changed === 0 ? "conflict" : changed;
    });
  };
}
