import { randomBytes } from "node:crypto";
import { AppError } from "@nts/shared/errors";
import type { ParentRequest } from "@nts/shared/http/headers";
import type { Log } from "@nts/shared/log";
import { isDuplicateKey } from "@nts/shared/mongo/faults";
import type { RunTransaction } from "@nts/shared/mongo/transaction";
import type { Work } from "@nts/shared/work";
import { actorFrom } from "../../storage/audit-notes.js";
import { trailOf } from "../../storage/audit-trail.js";
import type { InviteStore } from "../../storage/invites.js";
import type { KeyStore } from "../../storage/api-keys.js";
import type { ChangeRights } from "../../rights/change-rights.js";
import type { AffiliationsOf } from "../../storage/affiliations.js";
import type { OrganizationStore } from "../../storage/organizations.js";
import type { Joining } from "../registration/joining.js";
import type { RegisterUser } from "../registration/register-user.js";
import type { SiteLimit } from "../../storage/site-limit.js";
import { isGuarded, newUser, type UserDocument } from "../../model/user.js";
import type { SessionStore } from "../../storage/sessions.js";
import type { TopologyDirectory } from "../../topology/directory.js";
import { untilSaved } from "../../storage/until-saved.js";
import type { ApplyRights } from "../../rights/apply-rights.js";
import { userChanges, type UserRights } from "../../model/user-changes.rules.js";
import { isOfSeveral, userIn } from "../../model/memberships.rules.js";
import type { Passwords } from "../../secrets/passwords.js";
import type { UserStore } from "../../storage/users.js";
import { rightsOf } from "./group-rights.rules.js";
import { type IdentityStore, nameAt } from "../../storage/linked-identities.js";
import type { LinkedIdentity } from "../../model/linked-identity.rules.js";
import type { ProviderPerson } from "./person.rules.js";
import type { ProviderSettings } from "./settings.js";
import type { LinkingUser } from "../../storage/provider-sign-ins.js";

/** The callback request of a sign-in. */
export interface SignInCallback {
  readonly settings: ProviderSettings;
  readonly person: ProviderPerson;
  /** Hash of the invite token with which the sign-in started. */
  readonly invite: string | null;
  readonly clientAddress: string;
  readonly work: Work;
  readonly cause: ParentRequest;
}

/** Finds the local account of a provider account. */
export interface Admission {
  /**
   * The user who signs in, with level and networks from groups; linked or created if allowed.
   *
   * @throws AppError `account_unknown` · `address_unverified` · `link_required` · `provider_denied` · `already_exists`
   * · `invalid_reference` · `registration_throttled`
   */
  userOf(callback: SignInCallback): Promise<UserDocument>;
  /** Links the account of a session. @throws AppError `sign_in_expired` · `account_unknown` · `already_exists` */
  link(callback: SignInCallback, linking: LinkingUser): Promise<void>;
}

export interface AdmissionOptions {
  readonly users: UserStore;
  readonly identities: IdentityStore;
  readonly sessions: Pick<SessionStore, "find" | "removeAllOf" | "removeAllIn">;
  readonly keys: Pick<KeyStore, "removeAllOf">;
  readonly invites: Pick<InviteStore, "removeAllOf">;
  readonly organizations: Pick<OrganizationStore, "lockCounts">;
  readonly affiliationsOf: AffiliationsOf;
  readonly joining: Joining;
  readonly registerUser: RegisterUser;
  readonly siteLimit: SiteLimit;
  readonly applyRights: ApplyRights;
  readonly passwords: Pick<Passwords, "hash">;
  readonly topology: Pick<TopologyDirectory, "networksIn">;
  readonly transaction: RunTransaction;
  readonly changeRights: ChangeRights;
  readonly log: Log;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { users, identities, sessions } = options;
  const linkTo = createLinking(options);
  const place = createPlacing(options, linkTo);
  const govern = createGoverning(options);

  return {
    userOf: async (callback) => {
      const { settings, person } = callback;
      const rights = await govern.rightsFor(callback);
      const known = await identities.findByKey(nameAt(settings, person.subject));
      if (known !== null) return govern.apply(callback, ownUser(settings, known), rights);
      if (rights === null) throw new AppError("provider_denied");
      return govern.apply(callback, await place(callback, rights), rights);
    },
    link: async (callback, { userId, organizationId, sessionId }) => {
      const user = await users.find(organizationId, userId);
      if (user === null || (await sessions.find(organizationId, userId, sessionId)) === null)
        throw new AppError("sign_in_expired");
      await linkTo(ownUser(callback.settings, user), callback);
    },
  };
}

type LinkTo = (user: UserDocument, callback: SignInCallback) => Promise<void>;

function createLinking({ identities, transaction }: AdmissionOptions): LinkTo {
  return async (user, { settings, person, work }) => {
    requireUnlinked(settings, user);
    await refusingLinked(() =>
      transaction(work, [`user:${user._id}`], async (tx) => {
        trailOf(tx).actAs(actorFrom(user));
        if (!(await identities.link(user, identityOf(settings, person), tx))) throw new AppError("write_conflict");
      }),
    );
  };
}

/** Finds the account for an unlinked person: by address, by invite, or a new one. */
function createPlacing(options: AdmissionOptions, linkTo: LinkTo) {
  const { users, identities, sessions, keys, invites, organizations, affiliationsOf, joining } = options;
  const { registerUser, siteLimit, passwords, changeRights } = options;

  async function adopt(callback: SignInCallback, account: UserDocument): Promise<UserDocument> {
    const { settings } = callback;
    const user = ownUser(settings, account);
    requireUnlinked(settings, user);
    // The address may have been verified by another provider; and a provider of one organization must not affect
    // others.
    const isBound = settings.organization_id !== undefined && isOfSeveral(user);
    if (isBound || (user.identities ?? []).length > 0) throw new AppError("link_required");
    if (user.email_verified === true) await linkTo(user, callback);
    else await takeOver(callback, user);
    return users.get(user.organization_id, user._id);
  }

  async function takeOver({ settings, person, work }: SignInCallback, user: UserDocument): Promise<void> {
    // A second factor proves more than the address does.
    if (isGuarded(user)) throw new AppError("link_required");
    const hash = await passwords.hash(randomPassword(), work);
    const done = await changeRights(work, [user._id], async (tx) => {
      trailOf(tx).actAs(actorFrom(user));
      if (!(await identities.takeOver(user, identityOf(settings, person), hash, tx))) return "conflict";
      // The address was never verified before, so everything created earlier is revoked.
      for (const belongings of [keys, sessions, invites]) await belongings.removeAllOf(user, tx);
      return "done";
    });
    if (done === "conflict") throw new AppError("write_conflict");
  }

  return async (callback: SignInCallback, rights: UserRights | undefined): Promise<UserDocument> => {
    const { settings, person, invite, clientAddress, work } = callback;
    const { email, isVerified } = person;
    if (email === null || !isVerified) throw new AppError("address_unverified");
    const existing = await users.findByEmail(email);
    // All organizations of the account are deleted but not purged; registration frees the address.
    const isLiving = existing !== null && (await affiliationsOf(existing)).length > 0;
    if (isLiving) return adopt(callback, existing);
    const { organization_id: bound, provision, permissions } = settings;
    const hash = provision === "never" ? null : invite;
    const joined = hash === null ? null : await joining.find(hash, new Date());
    if (joined !== null && bound !== undefined && joined.organization_id !== bound)
      throw new AppError("account_unknown");
    if (joined === null && (provision !== "always" || bound === undefined)) throw new AppError("account_unknown");
    if (!isOfAllowedDomain(settings, email)) throw new AppError("provider_denied");
    const isCounted = hash === null && admitsAnybody(settings);
    if (isCounted) await siteLimit.require(clientAddress, new Date());
    const written = hash !== null ? [`invite:${hash}`] : isCounted ? [siteLimit.keyOf(clientAddress)] : [];
    const made = await registerUser(work, { email, password: randomPassword() }, written, async (candidate, tx) => {
      if (isCounted) await siteLimit.count(clientAddress, candidate.now, tx);
      trailOf(tx).actAs(actorFrom({ _id: candidate.id, email }));
      const own = { passwordless: true, email_verified: true, identities: [identityOf(settings, person)] };
      if (hash !== null) return { user: { ...(await joining.join(candidate, hash, tx)), ...own } };
      const organizationId = bound ?? "";
      if (!(await organizations.lockCounts(organizationId, tx))) throw new AppError("account_unknown");
      const { permissions: level, network_ids } = rights ?? { permissions, network_ids: [] };
      const networkIds = level === "Owner" || level === "Admin" ? [] : network_ids;
      return { user: { ...newUser({ ...candidate, organizationId, permissions: level, networkIds }), ...own } };
    });
    return made.user;
  };
}

/** The groups determine the user's rights from now on. */
function createGoverning({ users, sessions, topology, applyRights, changeRights, log }: AdmissionOptions) {
  /** The rights from groups; undefined without group mapping, null if no group matches. */
  async function rightsFor({ settings, person, cause }: SignInCallback): Promise<UserRights | null | undefined> {
    const { groups, organization_id: organizationId } = settings;
    if (groups === undefined || organizationId === undefined) return undefined;
    const networkIds = await topology.networksIn({ organizationId, networks: "all" }, cause);
    return rightsOf(person.groups, groups, networkIds);
  }

  /** @throws AppError `provider_denied` without rights, after revoking existing ones */
  async function apply(
    { settings, work }: SignInCallback,
    user: UserDocument,
    rights: UserRights | null | undefined,
  ): Promise<UserDocument> {
    if (rights === undefined) return user;
    const { permissions, network_ids } = rights ?? { permissions: "Viewer", network_ids: [] };
    try {
      const saved = await untilSaved(work, async () => {
        const current = await users.get(user.organization_id, user._id);
        const changes = userChanges(current, { permissions, network_ids }, network_ids);
        if (Object.keys(changes).length === 0 && rights !== null) return current;
        return changeRights(work, [user._id], async (tx) => {
          trailOf(tx).actAs(actorFrom(user));
          const applied = Object.keys(changes).length === 0 ? current : await applyRights(current, changes, tx);
          if (applied !== "conflict" && rights === null) await sessions.removeAllIn(user, tx);
          return applied;
        });
      });
      if (rights === null) throw new AppError("provider_denied");
      return saved;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "last_owner") throw error;
      log.warn(
        { user_id: user._id, provider: settings.id },
        "the last Owner keeps this level despite the provider's groups",
      );
      return users.get(user.organization_id, user._id);
    }
  }

  return { rightsFor, apply };
}

/** An account as a user of the provider's organization. @throws AppError `account_unknown` if there is none */
function ownUser({ organization_id }: ProviderSettings, account: UserDocument): UserDocument {
  const user = organization_id === undefined ? account : userIn(account, organization_id);
  if (user === null) throw new AppError("account_unknown");
  return user;
}

/** @throws AppError `already_exists` */
function requireUnlinked({ id }: ProviderSettings, { identities = [] }: UserDocument): void {
  if (identities.some(({ provider }) => provider === id))
    throw new AppError("already_exists", { entity: "Identity", field: "provider" });
}

async function refusingLinked<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error)
      ? new AppError("already_exists", { entity: "Identity", field: "provider" }, error)
      : error;
  }
}

function identityOf(settings: ProviderSettings, { subject, email }: ProviderPerson): LinkedIdentity {
  const { id: provider } = settings;
  return { key: nameAt(settings, subject), provider, email, linked_at: new Date(), last_used: null };
}

function isOfAllowedDomain({ domains }: ProviderSettings, email: string): boolean {
  return domains === undefined || domains.includes(email.slice(email.lastIndexOf("@") + 1).toLowerCase());
}

/** Whether accounts at the provider may be as free as those of registration; otherwise an administrator chooses them. */
function admitsAnybody({ groups, domains }: ProviderSettings): boolean {
  return groups === undefined && domains === undefined;
}

/** A random password for a user created by a provider. */
function randomPassword(): string {
  return randomBytes(32).toString("base64url");
}
