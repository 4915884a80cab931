import type { Database } from "./database.js";
import type { Forms } from "./documents.js";
import { createInviteStore } from "./invites/store.js";
import { createKeyStore } from "./keys/store.js";
import { createKeyUsage } from "./keys/usage.js";
import { createLinkTokens } from "./mail/link-tokens-store.js";
import { createVerifiedAddresses } from "./mail/verified-store.js";
import { createLoginFailureStore } from "./logins/store.js";
import { createOrganizationDeletions } from "./organizations/deletions.js";
import { createOrganizationStore } from "./organizations/store.js";
import { createIdentityStore } from "./providers/identities-store.js";
import { createChallenges } from "./second-factor/challenges.js";
import { createSecondFactorStore } from "./second-factor/store.js";
import { createSignInPlaces } from "./sessions/places-store.js";
import { createSessionStore } from "./sessions/store.js";
import { createUserStore } from "./users/store.js";
import { createEndedMakers } from "./webhooks/ended-makers.js";

/** All access to MongoDB that operations share. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the list below says it
export function createStores(database: Database, forms: Forms | undefined) {
  return {
    keys: createKeyStore(database, forms),
    users: createUserStore(database, forms),
    sessions: createSessionStore(database, forms),
    invites: createInviteStore(database, forms),
    organizations: createOrganizationStore(database, forms),
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
  };
}

export type Stores = ReturnType<typeof createStores>;
