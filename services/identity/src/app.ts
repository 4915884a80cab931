import type { Db } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import { keyApplied, networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import type { InternalClient } from "@nts/shared/http/internal-client";
import { createRouter, type Router, type RouterOptions } from "@nts/shared/http/mount";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { createWrites } from "@nts/shared/writes/writes";
import { DEADLINES } from "@nts/shared/timing";
import { createFailedLogins } from "./audit/failed-logins.js";
import { createNoteFirstUses } from "./audit/first-uses.js";
import { createAuditReader } from "./audit/read.js";
import { mountAudit } from "./audit/routes.js";
import { createTakeNotes, type TakeNotes } from "./audit/take-notes.js";
import { createAudited } from "./audit/trail.js";
import { mountCredentials } from "./credentials/routes.js";
import { createCredentialStore } from "./credentials/store.js";
import { type Database, sharedBy } from "./database.js";
import type { Forms } from "./documents.js";
import { createRequireRoomForInvite } from "./invites/quotas.js";
import { mountInvites } from "./invites/routes.js";
import { createAcknowledgements } from "./key-changes/acknowledgements.js";
import { createChangeRights } from "./key-changes/change-rights.js";
import { createKeyChangeLog } from "./key-changes/log.js";
import { createGatewayRegistry } from "./key-changes/registry.js";
import { mountKeyChanges } from "./key-changes/routes.js";
import { sharingNext } from "./key-changes/sharing-next.js";
import { createRemoveDeletedTags } from "./keys/deleted-tags.js";
import { createRequireRoom } from "./keys/quotas.js";
import { type KeyRotationRoutes, mountKeyRotation } from "./keys/rotation-routes.js";
import { createKeyPurge, type KeyPurge } from "./keys/key-purge.js";
import { type LeakedKeyRoutes, mountLeakedKeys } from "./keys/leaked.js";
import { mountOrganizationKeys, type OrganizationKeyRoutes } from "./keys/organization-routes.js";
import { type KeyRoutes, mountKeys } from "./keys/routes.js";
import { createRemoveDeletedNetworks } from "./networks/deleted-networks.js";
import { createForgetNetworks } from "./networks/forget-networks.js";
import { collectingNotices } from "./networks/notices.js";
import { createReferenceSweep, type ReferenceSweep, type ReferenceSweepParts } from "./networks/sweep.js";
import type { Delivery } from "./mail/delivery.js";
import { createMail, type MailSettings } from "./mail/mail.js";
import { mountMailed } from "./mail/mount.js";
import { createThrottledCheck } from "./logins/throttled-check.js";
import { OF_CODES } from "./logins/throttle.rules.js";
import { mountOrganizations } from "./organizations/routes.js";
import { createOrganizationSweep, type OrganizationSweep } from "./organizations/sweep.js";
import { mountSignInByProvider } from "./providers/mount.js";
import { createProviders } from "./providers/providers.js";
import type { ProviderSettings } from "./providers/settings.js";
import type { Quotas } from "./quotas.js";
import { createNoteAccount, createRequireOpenRegistration, type RegistrationRule } from "./registrations/first-account.js";
import { mountRegistrations } from "./registrations/routes.js";
import { createSiteLimit } from "./registrations/site-limit.js";
import { createRequireConfirmed } from "./second-factor/confirmed.js";
import { mountSecondFactors } from "./second-factor/routes.js";
import { createSecretCipher } from "./second-factor/secret-cipher.js";
import { type BeginSessionOptions, createBeginSession } from "./sessions/begin.js";
import { createNotePlace } from "./sessions/notice.js";
import { createNoteUnverified } from "./organizations/unverified.js";
import { createSessionCookies } from "./sessions/cookie.js";
import { createReplaceSessions } from "./sessions/replace.js";
import { mountOwnSessions, type OwnSessionRoutes } from "./sessions/own-routes.js";
import { mountSessions, type SessionRoutes } from "./sessions/routes.js";
import { createStores, type Stores } from "./stores.js";
import { createAuditNoteSource } from "./audit-note-source.js";
import { createTopologyDirectory, type TopologyDirectory } from "./topology.js";
import { type ChangePasswordOptions, createChangePassword } from "./users/change-password.js";
import { type ConfirmCallerOptions, createConfirmCaller } from "./users/confirm-caller.js";
import { createRequireUnlimitedKey } from "./users/unlimited-key.js";
import { createRequireStrongPassword, type JudgePassword } from "./users/strength.js";
import { mountPasswords, type PasswordRoutes } from "./users/password-routes.js";
import type { Passwords } from "./users/passwords.js";
import { createFlows } from "./users/flows.js";
import { mountMoving } from "./users/moving.js";
import { mountUsers } from "./users/routes.js";
import { createWebhookPausing, type WebhookPausing } from "./webhooks/pausing.js";
import { mountWhoami } from "./whoami/routes.js";

export interface AppOptions extends Pick<RouterOptions, "verifyTenancy" | "log" | "tracing" | "observe" | "shares"> {
  readonly db: Db;
  readonly transaction: RunTransaction;
  readonly bus: Bus;
  readonly topology: Pick<InternalClient, "ask">;
  readonly passwords: Passwords;
  readonly judgePassword: JudgePassword;
  /** Encryption keys of second factors, current one first; if empty, none can be set up. */
  readonly secondFactorSecrets: readonly string[];
  /** Identity providers for sign-in. */
  readonly providers: readonly ProviderSettings[];
  /** Null if mail is not configured. */
  readonly mail: MailSettings | null;
  readonly quotas: Quotas;
  readonly publicUrl: string;
  readonly registration: RegistrationRule;
  /** Stored forms; by default those of this build. */
  readonly forms?: Forms;
  /** The clock of limits per hour; by default that of the system. */
  readonly now?: () => Date;
}

/** The service with every operation mounted. */
export interface App extends Router {
  readonly sweepReferences: ReferenceSweep;
  readonly sweepOrganizations: OrganizationSweep;
  readonly purgeKeys: KeyPurge;
  readonly pauseWebhooks: WebhookPausing["sweep"];
  readonly takeNotes: TakeNotes;
  /** Fetches the metadata of all providers, and logs wrong settings. */
  readonly checkProviders: () => Promise<void>;
  /** Sends queued mails until stopped. */
  readonly startMail: () => Delivery | null;
  /** Resolves when all background writes are done. */
  readonly settled: () => Promise<void>;
}

/** Connected to the bus, but not listening yet. */
export function createApp(options: AppOptions): App {
  const { db, transaction: plain, bus, topology: client, passwords, judgePassword, secondFactorSecrets, quotas, publicUrl, registration, forms, now = () => new Date(), ...routing } = options; // prettier-ignore
  const [database, transaction] = [sharedBy(db, routing.shares), createAudited(plain, db)];
  const changes = followChanges({ db, transaction, bus });
  const { changeRights } = changes;
  const router = createRouter({
    ...{ ...routing, mapFault: mapMongoFault, deadlineMs: DEADLINES.serviceMs },
    writes: createWrites(db, transaction, { mostKeys: quotas.idempotencyKeysPerUser }),
    settleWrite: changes.settle,
  });

  const stores = createStores(database, forms);
  const credentials = createCredentialStore(db, changes.keyChanges.confirmed, forms);
  const topology = createTopologyDirectory(client);
  const cookies = createSessionCookies(publicUrl);
  const duties = createDuties(options, { database, transaction, changeRights, topology, ...stores });
  const replaceSessions = createReplaceSessions({ ...stores, transaction, changeRights });
  const { requireUnlimitedKey, requireConfirmed, requireRoom, requireRoomForInvite, requireStrong } = createGuards(stores, { quotas, judgePassword }); // prettier-ignore
  const failedLogins = createFailedLogins({ db, transaction, log: routing.log, now });
  const mail = createMail(db, options.mail);
  const webhooks = createWebhookPausing(stores.endedMakers, topology, routing.log);
  const people = createFlows(stores, { changeRights, topology, providers: options.providers });
  const common = {
    ...{ ...stores, ...people, requireConfirmed },
    ...{ db, topology, webhooks, cookies, transaction, changeRights, replaceSessions, failedLogins, passwords },
    ...{ mail, notePlace: createNotePlace(stores.places, mail), quotas, publicUrl, registration, requireStrong },
    noteAccount: createNoteAccount(db),
  };
  const { throttledCheck, change, beginSession, confirmCaller } = createSigningIn(common);

  const requireOpenRegistration = createRequireOpenRegistration(db, registration);
  const siteLimit = createSiteLimit(db, quotas.registrationsPerSite);
  mountRegistrations(router, { ...common, requireOpenRegistration, siteLimit });
  mountUsers(router, { ...common, requireUnlimitedKey });
  const cipher = createSecretCipher(secondFactorSecrets);
  mountMoving(router, { ...common, confirmCaller });
  mountInvites(router, { ...common, requireUnlimitedKey, requireRoom: requireRoomForInvite });
  mountOwnAccess(router, { ...common, beginSession, throttledCheck, confirmCaller, change });
  const throttledCodeCheck = createThrottledCheck(stores.failures, OF_CODES);
  mountSecondFactors(router, { ...common, beginSession, confirmCaller, cipher, throttledCodeCheck });
  const write = mountMailed(router, { ...common, change });
  mountOrganizations(router, common);
  const noteFirstUses = createNoteFirstUses(db, transaction, now);
  mountAllKeys(router, { ...common, settle: changes.settle, requireRoom, noteFirstUses });
  mountAudit(router, createAuditReader(database));
  mountWhoami(router, common);
  mountCredentials(router, {
    ...common,
    credentials,
    noteUnverified: createNoteUnverified(db, mail.isConfigured && quotas.untilVerified),
  });
  mountKeyChanges(router, changes);
  const providers = createProviders(options.providers, publicUrl);
  mountSignInByProvider(router, { ...common, siteLimit, providers, beginSession, confirmCaller, log: routing.log });
  return {
    ...{ ...router, ...duties, checkProviders: () => providers.check(routing.log), settled: failedLogins.written },
    pauseWebhooks: webhooks.sweep,
    startMail: () => mail.start(write, routing.log),
  };
}

interface DutyParts extends Pick<Stores, "keys" | "deletions"> {
  readonly database: Database;
  readonly transaction: RunTransaction;
  readonly changeRights: ReturnType<typeof createChangeRights>;
  readonly topology: TopologyDirectory;
}

/** Background work: purging deleted data, and the audit log. */
function createDuties(
  { db, bus, topology: client, log, forms }: AppOptions,
  { database, transaction, changeRights, topology, keys, deletions }: DutyParts,
): Pick<App, "sweepReferences" | "sweepOrganizations" | "purgeKeys" | "takeNotes"> {
  const sweeps = {
    removeDeletedNetworks: createRemoveDeletedNetworks(createForgetNetworks(database, changeRights, forms), topology),
    removeDeletedTags: createRemoveDeletedTags(keys, topology),
  };
  hearDeletions(bus, sweeps, log);
  return {
    sweepReferences: createReferenceSweep({ database, topology, log, ...sweeps }),
    sweepOrganizations: createOrganizationSweep(db, deletions, topology),
    purgeKeys: createKeyPurge(db, transaction, forms),
    takeNotes: createTakeNotes({ db, transaction, source: createAuditNoteSource(client), log }),
  };
}

function mountAllKeys(router: Router, parts: KeyRoutes & KeyRotationRoutes & OrganizationKeyRoutes & LeakedKeyRoutes): void {
  mountKeys(router, parts);
  mountKeyRotation(router, parts);
  mountOrganizationKeys(router, parts);
  mountLeakedKeys(router, parts);
}

type SigningInParts = Omit<BeginSessionOptions & ChangePasswordOptions & ConfirmCallerOptions, "throttledCheck"> &
  Pick<Stores, "failures">;

/** Authentication. */
function createSigningIn(parts: SigningInParts) {
  const throttledCheck = createThrottledCheck(parts.failures);
  return {
    throttledCheck,
    change: createChangePassword(parts),
    beginSession: createBeginSession(parts),
    confirmCaller: createConfirmCaller({ ...parts, throttledCheck }),
  };
}

/** Operations on one's own sessions and password. */
function mountOwnAccess(router: Router, parts: SessionRoutes & OwnSessionRoutes & PasswordRoutes): void {
  mountSessions(router, parts);
  mountOwnSessions(router, parts);
  mountPasswords(router, parts);
}

/** Rejects requests beyond the rights of their callers. */
function createGuards(
  { keys, users, sessions, organizations, invites }: Stores,
  { quotas, judgePassword }: Pick<AppOptions, "quotas" | "judgePassword">,
) {
  return {
    requireUnlimitedKey: createRequireUnlimitedKey(keys),
    requireConfirmed: createRequireConfirmed(users, sessions),
    requireRoom: createRequireRoom(organizations, keys, quotas),
    requireRoomForInvite: createRequireRoomForInvite(organizations, invites, quotas),
    requireStrong: createRequireStrongPassword(judgePassword),
  };
}

/** The key change log, and the gateways that apply it. */
function followChanges({ db, transaction, bus }: Pick<AppOptions, "db" | "transaction" | "bus">) {
  const keyChanges = createKeyChangeLog(db);
  const registry = createGatewayRegistry(db);
  const acknowledgements = createAcknowledgements(registry);
  bus.subscribe(keyApplied, ({ gateway, number }) => {
    acknowledgements.note(gateway, number);
  });
  // Checked after every write of any organization, batched to use a single connection.
  const newestChange = sharingNext(keyChanges.highest);
  return {
    ...{ keyChanges, registry, acknowledgements },
    changeRights: createChangeRights({ transaction, keyChanges, acknowledgements, bus }),
    // A retry whose first response was lost changes nothing, but gateways may still be applying the change.
    settle: async () => acknowledgements.wait(await newestChange()),
  };
}

/** Notices are verified before anything is removed: only topology knows what was deleted. */
function hearDeletions(
  bus: Bus,
  {
    removeDeletedNetworks,
    removeDeletedTags,
  }: Pick<ReferenceSweepParts, "removeDeletedNetworks" | "removeDeletedTags">,
  log: AppOptions["log"],
): void {
  const tags = collectingNotices(removeDeletedTags, (err, organization_id) => {
    log.warn({ err, organization_id }, "deleted tags stay on API keys until the next sweep");
  });
  const networks = collectingNotices(removeDeletedNetworks, (err, organization_id) => {
    log.warn({ err, organization_id }, "deleted networks stay granted until the next sweep");
  });
  bus.subscribe(tagDeleted, ({ organization_id, tag_id }) => {
    tags(organization_id, tag_id);
  });
  bus.subscribe(networkDeleted, ({ organization_id, network_id }) => {
    networks(organization_id, network_id);
  });
}
