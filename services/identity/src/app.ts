import type { Db } from "mongodb";
import type { Bus } from "@nts/shared/bus/bus";
import { keyApplied, networkDeleted, tagDeleted, viewDeleted } from "@nts/shared/contract/messages";
import type { InternalClient } from "@nts/shared/upstream/internal-client";
import { createRouter, type Router, type RouterOptions } from "@nts/shared/http/mount";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import { createWrites } from "@nts/shared/writes/writes";
import { DEADLINES } from "@nts/shared/timing";
import { createFailedLogins } from "./audit/failed-logins.js";
import { createNoteFirstUses } from "./audit/first-uses.js";
import { createAuditReader } from "./audit/read.js";
import { type AssistantRoutes, mountAssistants } from "./routes/assistants.js";
import { mountAudit } from "./routes/audit.js";
import { createTakeNotes, type TakeNotes } from "./audit/take-notes.js";
import { createAudited } from "./storage/audit-trail.js";
import { mountCredentials } from "./routes/credentials.js";
import { createCredentialStore } from "./storage/credentials.js";
import { type Database, sharedBy } from "./storage/database.js";
import type { Forms } from "./storage/documents.js";
import { createRequireRoomForInvite } from "./rights/invite-quotas.js";
import { mountInvites } from "./routes/invites.js";
import { createAcknowledgements } from "./rights/acknowledgements.js";
import { createChangeRights } from "./rights/change-rights.js";
import { createKeyChangeLog } from "./storage/key-changes.js";
import { createGatewayRegistry } from "./storage/gateways.js";
import { mountKeyChanges } from "./routes/key-changes.js";
import { sharingNext } from "@nts/shared/scheduling/batcher";
import { createRemoveDeletedTags } from "./flows/cleanup/deleted-tags.js";
import { createRequireRoom } from "./rights/key-quotas.js";
import { type KeyRotationRoutes, mountKeyRotation } from "./routes/key-rotation.js";
import { createRemoveEndedGrants, type RemoveEndedGrants } from "./flows/cleanup/ended-grants.js";
import { createKeyPurge, type KeyPurge } from "./flows/cleanup/key-purge.js";
import { type LeakedKeyRoutes, mountLeakedKeys } from "./routes/leaked-keys.js";
import { mountOrganizationKeys, type OrganizationKeyRoutes } from "./routes/organization-keys.js";
import { type KeyRoutes, mountKeys } from "./routes/keys.js";
import { createRemoveDeletedNetworks } from "./flows/cleanup/deleted-networks.js";
import { createForgetNetworks } from "./rights/forget-networks.js";
import { createEndCollectors, createEndShares } from "./flows/cleanup/ended-shares.js";
import { type CollectorRoutes, mountCollectors } from "./routes/collectors.js";
import { mountShares, type ShareRoutes } from "./routes/shares.js";
import { collectingNotices } from "./flows/cleanup/deletion-notices.js";
import {
  createReferenceSweep,
  type ReferenceSweep,
  type ReferenceSweepParts,
} from "./flows/cleanup/reference-sweep.js";
import type { Delivery } from "./mail/delivery.js";
import { createMail, type MailSettings } from "./mail/mail.js";
import { mountMailed } from "./routes/mailed.js";
import { createThrottledCheck } from "./flows/sign-in/throttled-check.js";
import { OF_CODES } from "./model/login-throttle.rules.js";
import { mountOrganizations } from "./routes/organizations.js";
import { createOrganizationSweep, type OrganizationSweep } from "./flows/cleanup/organization-sweep.js";
import { mountSignInByProvider } from "./routes/provider-sign-in.js";
import { createProviders } from "./flows/providers/providers.js";
import type { ProviderSettings } from "./flows/providers/settings.js";
import type { Quotas } from "./model/quotas.js";
import { createNoteAccount, createRequireOpenRegistration, type RegistrationRule } from "./storage/first-account.js";
import { mountRegistrations } from "./routes/registrations.js";
import { createSiteLimit } from "./storage/site-limit.js";
import { createRequireConfirmed } from "./rights/confirmed.js";
import { mountSecondFactors } from "./routes/second-factors.js";
import { createSecretCipher } from "./secrets/secret-cipher.js";
import { type BeginSessionOptions, createBeginSession } from "./flows/sign-in/begin-session.js";
import { createNewsReader } from "./mail/news-reader.js";
import { createNotify, type Notify } from "./mail/notify.js";
import { mountNotifications } from "./routes/notifications.js";
import { createNotePlace } from "./mail/sign-in-notice.js";
import { createNoteUnverified } from "./rights/unverified.js";
import { createSessionCookies } from "./flows/sign-in/session-cookie.js";
import { createReplaceSessions } from "./flows/sign-in/replace-sessions.js";
import { mountDeviceSignIns } from "./routes/device-sign-ins.js";
import { mountOwnSessions, type OwnSessionRoutes } from "./routes/own-sessions.js";
import { mountSessions, type SessionRoutes } from "./routes/sessions.js";
import { createStores, type Stores } from "./storage/stores.js";
import { createAuditNoteSource } from "./topology/audit-notes.js";
import { createTopologyDirectory, type TopologyDirectory } from "./topology/directory.js";
import { type ChangePasswordOptions, createChangePassword } from "./flows/recovery/change-password.js";
import { type ConfirmCallerOptions, createConfirmCaller } from "./flows/sign-in/confirm-caller.js";
import { createRequireUnlimitedKey } from "./rights/unlimited-key.js";
import { createRequireStrongPassword, type JudgePassword } from "./secrets/strength.js";
import { mountPasswords, type PasswordRoutes } from "./routes/passwords.js";
import type { Passwords } from "./secrets/passwords.js";
import { createFlows } from "./flows/flows.js";
import { mountMoving } from "./routes/moving.js";
import { mountUsers } from "./routes/users.js";
import { createWebhookPausing, type WebhookPausing } from "./rights/webhook-pausing.js";
import { mountWhoami } from "./routes/whoami.js";

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
  readonly removeEndedGrants: RemoveEndedGrants;
  readonly pauseWebhooks: WebhookPausing["sweep"];
  readonly takeNotes: TakeNotes;
  /** Queues mails about news. */
  readonly notify: Notify;
  /** Fetches the metadata of all providers, and logs wrong settings. */
  readonly checkProviders: () => Promise<void>;
  /** Sends queued mails until stopped. */
  readonly startMail: () => Delivery | null;
  /** Resolves when all background writes are done. */
  readonly settled: () => Promise<void>;
}

/** Connected to the bus, but not listening yet. */
export function createApp(options: AppOptions): App {
  const {
    db,
    transaction: plain,
    bus,
    topology: client,
    passwords,
    judgePassword,
    secondFactorSecrets,
    quotas,
    publicUrl,
    registration,
    forms,
    now = () => new Date(),
    ...routing
  } = options;
  const database = sharedBy(db, routing.shares);
  const transaction = createAudited(plain, db);
  const changes = followChanges({ db, transaction, bus });
  const { changeRights } = changes;
  const router = createRouter({
    ...{ ...routing, mapFault: mapMongoFault, deadlineMs: DEADLINES.serviceMs },
    writes: createWrites(db, transaction, { mostKeys: quotas.idempotencyKeysPerUser }),
    settleWrite: changes.settle,
  });

  const stores = createStores(database, transaction, forms);
  const credentials = createCredentialStore(db, changes.keyChanges.confirmed, forms);
  const topology = createTopologyDirectory(client);
  const cookies = createSessionCookies(publicUrl);
  const duties = createDuties(options, { database, transaction, changeRights, topology, ...stores });
  const replaceSessions = createReplaceSessions({ ...stores, transaction, changeRights });
  const { requireUnlimitedKey, requireConfirmed, requireRoom, requireRoomForInvite, requireStrong } = createGuards(
    stores,
    { quotas, judgePassword },
  );
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
  mountDeviceSignIns(router, { ...common, beginSession, throttledCodeCheck });
  mountAssistants(router, { ...common, requireRoom } satisfies AssistantRoutes);
  mountSecondFactors(router, { ...common, beginSession, confirmCaller, cipher, throttledCodeCheck });
  const newsReader = createNewsReader(common);
  const write = mountMailed(router, { ...common, change, newsReader });
  mountNotifications(router, common);
  mountOrganizations(router, common);
  const noteFirstUses = createNoteFirstUses(db, transaction, now);
  mountAllKeys(router, { ...common, requireRoom, noteFirstUses, log: routing.log });
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
    notify: createNotify({ ...common, newsReader, log: routing.log, now }),
    startMail: () => mail.start(write, routing.log),
  };
}

interface DutyParts extends Pick<Stores, "keys" | "deletions" | "sharedViews" | "collectors"> {
  readonly database: Database;
  readonly transaction: RunTransaction;
  readonly changeRights: ReturnType<typeof createChangeRights>;
  readonly topology: TopologyDirectory;
}

/** Background work: purging deleted data, and the audit log. */
function createDuties(
  { db, bus, topology: client, log, forms }: AppOptions,
  { database, transaction, changeRights, topology, keys, deletions, sharedViews, collectors }: DutyParts,
): Pick<App, "sweepReferences" | "sweepOrganizations" | "purgeKeys" | "removeEndedGrants" | "takeNotes"> {
  const sweeps = {
    removeDeletedNetworks: createRemoveDeletedNetworks(createForgetNetworks(database, changeRights, forms), topology),
    removeDeletedTags: createRemoveDeletedTags(keys, topology),
    endShares: createEndShares(sharedViews, changeRights, topology),
    endCollectors: createEndCollectors(collectors, changeRights, topology),
  };
  hearDeletions(bus, sweeps, log);
  return {
    sweepReferences: createReferenceSweep({ database, topology, log, ...sweeps }),
    sweepOrganizations: createOrganizationSweep(db, deletions, topology),
    purgeKeys: createKeyPurge(db, transaction, forms),
    removeEndedGrants: createRemoveEndedGrants(keys, transaction),
    takeNotes: createTakeNotes({ db, transaction, source: createAuditNoteSource(client), log }),
  };
}

function mountAllKeys(
  router: Router,
  parts: KeyRoutes & KeyRotationRoutes & OrganizationKeyRoutes & LeakedKeyRoutes & ShareRoutes & CollectorRoutes,
): void {
  mountKeys(router, parts);
  mountKeyRotation(router, parts);
  mountOrganizationKeys(router, parts);
  mountLeakedKeys(router, parts);
  mountShares(router, parts);
  mountCollectors(router, parts);
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
    endShares,
    endCollectors,
  }: Pick<ReferenceSweepParts, "removeDeletedNetworks" | "removeDeletedTags" | "endShares" | "endCollectors">,
  log: AppOptions["log"],
): void {
  const tags = collectingNotices(removeDeletedTags, (err, organization_id) => {
    log.warn({ err, organization_id }, "deleted tags stay on API keys until the next sweep");
  });
  const networks = collectingNotices(removeDeletedNetworks, (err, organization_id) => {
    log.warn({ err, organization_id }, "deleted networks stay granted until the next sweep");
  });
  const shares = collectingNotices(endShares, (err, organization_id) => {
    log.warn({ err, organization_id }, "shares of deleted views are listed until the next sweep");
  });
  const collectors = collectingNotices(endCollectors, (err, organization_id) => {
    log.warn({ err, organization_id }, "collectors of deleted networks are listed until the next sweep");
  });
  bus.subscribe(viewDeleted, ({ organization_id, view_id }) => {
    shares(organization_id, view_id);
  });
  bus.subscribe(tagDeleted, ({ organization_id, tag_id }) => {
    tags(organization_id, tag_id);
  });
  bus.subscribe(networkDeleted, ({ organization_id, network_id }) => {
    networks(organization_id, network_id);
    shares(organization_id, network_id);
    collectors(organization_id, network_id);
  });
}
