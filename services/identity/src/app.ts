import type { Db } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import { keyApplied, networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import type { InternalClient } from "@nts/shared/http/internal-client";
import { createRouter, type Router, type RouterOptions } from "@nts/shared/http/mount";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { mountCredentials } from "./credentials/routes.js";
import { createCredentialStore } from "./credentials/store.js";
import { mountInvites } from "./invites/routes.js";
import { createInviteStore } from "./invites/store.js";
import { createAcknowledgements } from "./key-changes/acknowledgements.js";
import { createChangeRights } from "./key-changes/change-rights.js";
import { createKeyChangeLog } from "./key-changes/log.js";
import { createGatewayRegistry } from "./key-changes/registry.js";
import { mountKeyChanges } from "./key-changes/routes.js";
import { mountKeys } from "./keys/routes.js";
import { createKeyStore } from "./keys/store.js";
import { createDeadNetworkSweep } from "./networks/dead-networks.js";
import { createForgetNetworks } from "./networks/forget-networks.js";
import { createGuess } from "./logins/guess.js";
import { createLoginFailureStore } from "./logins/store.js";
import { mountOrganizations } from "./organizations/routes.js";
import { createOrganizationStore } from "./organizations/store.js";
import { mountRegistrations } from "./registrations/routes.js";
import { createSessionCookies } from "./sessions/cookie.js";
import { mountSessions } from "./sessions/routes.js";
import { createSessionStore } from "./sessions/store.js";
import { createTopologyDirectory } from "./topology.js";
import { createChangePassword } from "./users/change-password.js";
import { mountPasswords } from "./users/password-routes.js";
import type { Passwords } from "./users/passwords.js";
import { mountUsers } from "./users/routes.js";
import { createUserStore } from "./users/store.js";
import { mountWhoami } from "./whoami/routes.js";

/** Milliseconds until an answer must have begun. */
const DEADLINE_MS = 8_000;

export interface AppOptions extends Pick<RouterOptions, "verifyTenancy" | "log" | "tracing" | "observe"> {
  readonly db: Db;
  readonly transaction: RunTransaction;
  readonly bus: Bus;
  readonly topology: Pick<InternalClient, "ask">;
  readonly passwords: Passwords;
  readonly publicUrl: string;
  readonly registration: "open" | "invite";
}

/** The service with every operation mounted; it listens to the bus but not yet to a port. */
export function createApp(options: AppOptions): Router {
  const { db, transaction, bus, topology: client, passwords, publicUrl, registration, ...routing } = options;
  const keyChanges = createKeyChangeLog(db);
  const registry = createGatewayRegistry(db);
  const acknowledgements = createAcknowledgements(registry);
  const router = createRouter({
    ...{ ...routing, mapFault: mapMongoFault, deadlineMs: DEADLINE_MS },
    // Who repeats a change whose answer was lost finds nothing left to change, while gateways may still be applying it.
    settleWrite: async () => acknowledgements.wait(await keyChanges.highest()),
  });

  const keys = createKeyStore(db);
  const users = createUserStore(db);
  const sessions = createSessionStore(db);
  const invites = createInviteStore(db);
  const organizations = createOrganizationStore(db);
  const credentials = createCredentialStore(db);
  const topology = createTopologyDirectory(client);
  const cookies = createSessionCookies(publicUrl);

  const changeRights = createChangeRights({ transaction, keyChanges, acknowledgements, bus });
  bus.subscribe(keyApplied, ({ gateway, number }) => {
    acknowledgements.note(gateway, number);
  });

  bus.subscribe(tagDeleted, ({ organization_id, tag_id }) => {
    keys.dropTags(organization_id, [tag_id]).catch((error: unknown) => {
      routing.log.warn({ err: error, tag_id }, "a deleted tag stays on API keys until they are read");
    });
  });

  const forgetNetworks = createForgetNetworks(db, changeRights);
  bus.subscribe(networkDeleted, ({ organization_id, network_id }) => {
    forgetNetworks(organization_id, [network_id]).catch((error: unknown) => {
      routing.log.warn({ err: error, network_id }, "a deleted network stays granted until its grants are read");
    });
  });
  const dropDeadNetworks = createDeadNetworkSweep(forgetNetworks, topology);

  mountRegistrations(router, {
    ...{ users, organizations, invites, sessions, transaction, passwords },
    ...{ topology, cookies, registration },
  });
  mountUsers(router, { users, keys, sessions, invites, topology, dropDeadNetworks, changeRights });
  mountInvites(router, { invites, topology, dropDeadNetworks });
  const guess = createGuess(createLoginFailureStore(db));
  mountSessions(router, { sessions, users, transaction, passwords, guess, topology, cookies, changeRights });
  const change = createChangePassword({ users, sessions, passwords, changeRights });
  mountPasswords(router, { users, passwords, guess, change });
  mountOrganizations(router, { organizations, changeRights });
  mountKeys(router, { keys, topology, dropDeadNetworks, changeRights });
  mountWhoami(router, { keys, sessions, users, organizations, topology });
  mountCredentials(router, { credentials, sessions });
  mountKeyChanges(router, { keyChanges, registry, acknowledgements });
  return router;
}
