import type { Db } from "mongodb";
import type { Verification } from "@nts/shared/contract/internal";
import { inOrganization } from "../model/memberships.rules.js";
import type { UserDocument } from "../model/user.js";
import type { OrganizationDocument } from "../model/organization.js";

// Organizations that anybody founded wait for the proof that one of their Owners can read mail. It is looked for when a
// credential is verified, wherever the proof came from; until then, gateways ask again soon.

/** Milliseconds after which gateways verify the credentials of such an organization again. */
const RECHECK_MS = 30_000;

/** Marks the rights of a credential whose organization is unverified. */
export type NoteUnverified = (
  verification: Verification,
  organization: OrganizationDocument | null,
) => Promise<Verification>;

/** @param sendsMail without which nobody could verify an address */
export function createNoteUnverified(db: Db, sendsMail: boolean): NoteUnverified {
  const users = db.collection<UserDocument>("users");
  const organizations = db.collection<OrganizationDocument>("organizations");

  async function isUnverified({ _id, awaits_verification }: OrganizationDocument): Promise<boolean> {
    if (awaits_verification !== true || !sendsMail) return false;
    const proven = { email_verified: true, ...inOrganization(_id, { permissions: "Owner" }) };
    if ((await users.findOne(proven, { projection: { _id: 1 } })) === null) return true;
    await organizations.updateOne({ _id }, { $unset: { awaits_verification: "" } });
    return false;
  }

  return async (verification, organization) => {
    if (verification.status !== "valid" || organization === null) return verification;
    if (!(await isUnverified(organization))) return verification;
    const { principal, expires_in_ms } = verification;
    return {
      ...verification,
      principal: { ...principal, is_unverified: true },
      expires_in_ms: Math.min(expires_in_ms ?? RECHECK_MS, RECHECK_MS),
    };
  };
}
