import type { ChangeRights } from "../rights/change-rights.js";
import { createAffiliationsOf } from "../storage/affiliations.js";
import type { ProviderSettings } from "./providers/settings.js";
import { createJoining } from "./registration/joining.js";
import { createResetSecondFactor } from "./second-factor/reset.js";
import { createReadCurrentUser } from "./sign-in/current-user.js";
import { createSignInProofOf } from "../model/sign-in-proof.js";
import type { Stores } from "../storage/stores.js";
import type { TopologyDirectory } from "../topology/directory.js";
import { createApplyRights } from "../rights/apply-rights.js";
import { createRemoveAccount, createRemoveUser } from "./leaving/remove-user.js";

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
