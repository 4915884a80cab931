import { createInvite, listInvites, revokeInvite } from "@nts/shared/contract/invites";
import { hashCredential } from "@nts/shared/credential";
import { isAtLeast } from "@nts/shared/contract/endpoint";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { requireRevision } from "@nts/shared/revision";
import type { Mail } from "../mail/mail.js";
import { newToken } from "../secrets/tokens.js";
import type { RequireConfirmed } from "../rights/confirmed.js";
import type { TopologyDirectory } from "../topology/directory.js";
import type { RequireUnlimitedKey } from "../rights/unlimited-key.js";
import type { UserStore } from "../storage/users.js";
import { requireRank } from "../model/rank.rules.js";
import { respondWithList, respondWithNone } from "../flows/respond-with-list.js";
import { type InviteDocument, inviteResponse, newInvite } from "../model/invite.rules.js";
import type { RequireRoomForInvite } from "../rights/invite-quotas.js";
import type { InviteStore } from "../storage/invites.js";

export interface InviteRoutes {
  readonly invites: InviteStore;
  readonly topology: TopologyDirectory;
  readonly requireUnlimitedKey: RequireUnlimitedKey;
  readonly requireConfirmed: RequireConfirmed;
  readonly transaction: RunTransaction;
  readonly requireRoom: RequireRoomForInvite;
  readonly mail: Mail;
  readonly users: Pick<UserStore, "find">;
}

export function mountInvites(router: Router, routes: InviteRoutes): void {
  const { invites, topology, requireUnlimitedKey, requireConfirmed, transaction, requireRoom, mail, users } = routes;

  /** Only users with a verified address may mail others. */
  async function requireMail({ userId, scope: { organizationId } }: UserPrincipal, address: string): Promise<void> {
    if (!mail.isConfigured) throw new AppError("mail_not_configured");
    if ((await users.find(organizationId, userId))?.email_verified !== true) throw new AppError("email_unverified");
    await mail.require(["inviting", organizationId], ["invited", address]);
  }

  mount(router, listInvites, async ({ scope, query, cause, work }) => {
    const known = await topology.networksIn(scope, cause);
    const { network_id } = query;
    if (network_id !== undefined && !known.includes(network_id)) return respondWithNone(query);
    const list = invites.list(scope.organizationId, query, new Date());
    const converter = () => (invite: InviteDocument) => inviteResponse(invite, known);
    return respondWithList(list, work, converter);
  });

  mount(router, createInvite, async ({ principal, scope, body, cause, work }) => {
    requireRank(principal, body.permissions);
    await requireUnlimitedKey(principal, body.permissions);
    if (isAtLeast(body.permissions, "Admin")) await requireConfirmed(principal);
    if (typeof body.email === "string") await requireMail(principal, body.email);
    const networkIds = await topology.networksIn(scope, cause);
    const token = newToken();
    const now = new Date();
    const given = {
      _id: newId(),
      hash: hashCredential(token),
      organization_id: scope.organizationId,
      invited_by: principal.userId,
      now,
    };
    const invite = newInvite(body, given, networkIds);
    await transaction(work, [`invites:${scope.organizationId}`], async (tx) => {
      await requireRoom(scope, now, tx);
      await invites.insert(invite, tx);
      const about = { organizationId: scope.organizationId, inviteId: invite._id };
      if (invite.email !== undefined) await mail.promise("invite", about, work, tx);
    });
    mail.wake();
    return respond.data({ ...inviteResponse(invite, networkIds), token }, { revision: invite.revision });
  });

  mount(router, revokeInvite, async ({ principal, scope, params: { id }, precondition, work }) => {
    const { permissions, revision } = await invites.get(scope.organizationId, id);
    requireRank(principal, permissions);
    requireRevision(precondition, revision);
    await transaction(work, [id], async (tx) => {
      if (!(await invites.remove(scope.organizationId, id, tx))) throw new AppError("not_found", { entity: "Invite" });
    });
    return respond.data(null);
  });
}
