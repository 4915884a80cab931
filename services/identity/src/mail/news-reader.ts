import type { News } from "@nts/shared/contract/internal";
import type { NotificationDocument } from "../storage/notifications.js";
import type { OrganizationStore } from "../storage/organizations.js";
import type { OrganizationDocument } from "../model/organization.js";
import { requiresSecondFactor } from "../model/organization.js";
import { narrowed, networksOf } from "../model/scopes.rules.js";
import { isDisabled, isGuarded, type UserDocument } from "../model/user.js";
import type { UserStore } from "../storage/users.js";
import type { TopologyDirectory } from "../topology/directory.js";

/** Part of the journal, and of time for certificates, that is told. */
export interface NewsSpan {
  readonly after: string | null;
  /** Null for everything until now. */
  readonly until: string | null;
  /** Null for none. */
  readonly certificates: { readonly from: Date; readonly to: Date } | null;
}

/** Who may be told now. */
export interface Reader {
  readonly user: UserDocument;
  readonly organization: OrganizationDocument;
  /** False while the account has no access, or its address is unverified. */
  readonly mayRead: boolean;
}

/** Reads news with the rights of the moment. */
export interface NewsReader {
  /** Null if the user or the organization is gone. */
  readerOf(of: NotificationDocument): Promise<Reader | null>;
  read(of: NotificationDocument, reader: Reader, span: NewsSpan): Promise<News>;
}

export interface NewsReaderOptions {
  readonly users: Pick<UserStore, "find">;
  readonly organizations: Pick<OrganizationStore, "find">;
  readonly topology: Pick<TopologyDirectory, "newsOf">;
}

export function createNewsReader({ users, organizations, topology }: NewsReaderOptions): NewsReader {
  return {
    readerOf: async ({ user_id, organization_id }) => {
      const user = await users.find(organization_id, user_id);
      const organization = await organizations.find(organization_id);
      if (user === null || organization === null) return null;
      const lacksFactor = requiresSecondFactor(organization) && !isGuarded(user);
      return { user, organization, mayRead: !isDisabled(user) && user.email_verified === true && !lacksFactor };
    },
    read: ({ organization_id, network_ids, events, only_unknown }, { user }, { after, until, certificates }) => {
      const networks = networksOf(user);
      return topology.newsOf(organization_id, {
        networks: network_ids === null ? networks : narrowed(networks, network_ids),
        ...{ events, only_unknown, after, until },
        certificates:
          certificates === null || !events.includes("certificate_ending")
            ? null
            : { from: certificates.from.toISOString(), to: certificates.to.toISOString() },
      });
    },
  };
}

export function isEmpty({ entries, certificates }: News): boolean {
  return entries.length + certificates.length === 0;
}
