import type { ChangeRights } from "../key-changes/change-rights.js";
import { createAffiliationsOf } from "../organizations/affiliations.js";
import type { ProviderSettings } from "../providers/settings.js";
import { createJoining } from "../registrations/joining.js";
import { createResetSecondFactor } from "../second-factor/reset.js";
import { createReadCurrentUser } from "../sessions/current-user.js";
import { createSignInProofOf } from "../sessions/sign-in-proof.js";
import type { Stores } from "../stores.js";
import type { TopologyDirectory } from "../topology.js";
import { createApplyRights } from "./apply-rights.js";
import { createRemoveAccount, createRemoveUser } from "./remove-user.js";

export interface FlowOptions {
  readonly changeRights: ChangeRights;
  readonly topology: TopologyDirectory;
  readonly providers: readonly ProviderSettings[];
}

/** The flows that several operations share. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the list below says it
export function createFlows(stores: Stores, { changeRights, topology, providers }: FlowOptions) {
  const affiliationsOf = createAffiliationsOf(stores.organizations);
  return {
    joining: createJoining(stores),
    applyRights: createApplyRights(stores.users, stores.invites, stores.endedMakers),
    removeUser: createRemoveUser(stores),
    removeAccount: createRemoveAccount(stores),
    resetSecondFactor: createResetSecondFactor({ ...stores, changeRights }),
    affiliationsOf,
    readCurrentUser: createReadCurrentUser(affiliationsOf, topology),
    signInProofOf: createSignInProofOf(providers),
  };
}
