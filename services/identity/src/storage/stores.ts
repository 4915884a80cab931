import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { Database } from "./database.js";
import type { Forms } from "./documents.js";
import { createAssistantClients } from "./assistant-clients.js";
import { createAuthorizationCodes } from "./authorization-codes.js";
import { createInviteStore } from "./invites.js";
import { createKeyStore } from "./api-keys.js";
import { createKeyUsage } from "./key-usage.js";
import { createLinkTokens } from "./link-tokens.js";
import { createVerifiedAddresses } from "./verified-addresses.js";
import { createLoginFailureStore } from "./login-failures.js";
import { createOrganizationDeletions } from "./organization-deletions.js";
import { createOrganizationStore } from "./organizations.js";
import { createIdentityStore } from "./linked-identities.js";
import { createChallenges } from "./challenges.js";
import { createDeviceSignIns } from "./device-sign-ins.js";
import { createNotificationStore } from "./notifications.js";
import { createSecondFactorStore } from "./second-factors.js";
import { createCollectorStore } from "./collectors.js";
import { createShareStore } from "./shares.js";
import { createSignInPlaces } from "./sign-in-places.js";
import { createSessionStore } from "./sessions.js";
import { createUserStore } from "./users.js";
import { createEndedMakers } from "./ended-webhook-makers.js";

/** All access to MongoDB that operations share. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the list below says it
export function createStores(database: Database, transaction: RunTransaction, forms: Forms | undefined) {
  return {
    keys: createKeyStore(database, forms),
    users: createUserStore(database, forms),
    sessions: createSessionStore(database, forms),
    invites: createInviteStore(database, forms),
    organizations: createOrganizationStore(database, forms),
    notifications: createNotificationStore(database.db),
    devices: createDeviceSignIns(database.db),
    assistantClients: createAssistantClients(database.db),
    codes: createAuthorizationCodes(database.db),
    challenges: createChallenges(database.db),
    identities: createIdentityStore(database, forms),
    factors: createSecondFactorStore(database, forms),
    linkTokens: createLinkTokens(database.db),
    addresses: createVerifiedAddresses(database, forms),
    places: createSignInPlaces(database.db),
    failures: createLoginFailureStore(database.db),
    deletions: createOrganizationDeletions(database.db),
    endedMakers: createEndedMakers(database),
    usage: createKeyUsage(database.db),
    sharedViews: createShareStore(database, transaction),
    collectors: createCollectorStore(database),
  };
}

export type Stores = ReturnType<typeof createStores>;
