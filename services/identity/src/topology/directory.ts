import type { ParentRequest } from "@nts/shared/http/headers";
import { isId } from "@nts/shared/contract/common";
import {
  endCollectorJobs,
  endWebhooksOf,
  findTagIds,
  findViews,
  listNetworkIds,
  listNews,
  type MakerEnd,
  MOST_FOUND_VIEWS,
  queueCollectorJob,
  removeOrganization,
} from "@nts/shared/contract/internal";
import type { BodyOf, DataOf } from "@nts/shared/contract/endpoint";
import type { CollectorJob } from "@nts/shared/contract/collectors";
import type { MadeWebhooks } from "@nts/shared/contract/webhooks";
import type { InternalClient } from "@nts/shared/upstream/internal-client";
import type { Scope } from "@nts/shared/http/tenancy";
import { createQueuedRead } from "@nts/shared/scheduling/queued-reads";
import { createShares } from "@nts/shared/scheduling/shares";
import { chunksOf } from "@nts/shared/groups";
import { narrowed } from "../model/scopes.rules.js";

const MOST_IDS = 1_000;

/** Longer than a call: a caller fails with the error of topology, not with that of a full share. */
const MOST_WAIT_MS = 10_000;

/**
 * Knows which entities of the topology service exist. All methods throw AppError `unavailable` or `upstream_timeout` if
 * it does not respond. `cause` is absent for background work.
 */
export interface TopologyDirectory {
  /** Ids of existing networks in a scope, ascending. */
  networksIn(scope: Scope, cause?: ParentRequest): Promise<string[]>;
  /** The existing managed tags of the organization among the given ids. */
  managedAmong(tags: readonly string[], organizationId: string, cause?: ParentRequest): Promise<string[]>;
  /** Those of some views that exist. */
  viewsAmong(ids: readonly string[], organizationId: string, cause?: ParentRequest): Promise<DataOf<typeof findViews>>;
  /** The webhooks made by a user or a key; with a reason, they are paused. */
  endWebhooks(of: MakerToEnd): Promise<NonNullable<MadeWebhooks>["webhooks"]>;
  /** Lets a collector look around when it next asks. @throws AppError `collector_busy` */
  queueCollectorJob(
    organizationId: string,
    job: BodyOf<typeof queueCollectorJob>,
    cause: ParentRequest,
  ): Promise<CollectorJob>;
  /** Cancels the jobs of a collector; idempotent. */
  endCollectorJobs(organizationId: string, collectorId: string): Promise<void>;
  /** What to tell a user. */
  newsOf(organizationId: string, asked: BodyOf<typeof listNews>): Promise<DataOf<typeof listNews>>;
  /** Reports a deleted organization; idempotent. */
  removeOrganization(organizationId: string): Promise<void>;
}

/** A user, or one of the user's keys. */
export interface MakerToEnd {
  readonly organization_id: string;
  readonly user_id: string;
  /** Null for any credential of the user. */
  readonly key_id: string | null;
  /** Null to only list. */
  readonly reason: MakerEnd | null;
}

/** Asks the topology service each time, unless the result can only be empty. */
export function createTopologyDirectory(topology: Pick<InternalClient, "ask">): TopologyDirectory {
  // Few at a time per organization, so that polling clients do not use up its share of topology; not one, which a
  // replica that does not respond would hold up.
  const readNetworks = createQueuedRead(createShares({ operations: 2, waitMs: MOST_WAIT_MS }).use);
  return {
    networksIn: async ({ organizationId, networks }, cause) => {
      if (networks.length === 0) return [];
      const existing = await readNetworks(organizationId, "networks", () =>
        topology.ask(listNetworkIds, { params: { id: organizationId }, ...(cause && { cause }) }),
      );
      return narrowed(networks, existing).sort();
    },
    managedAmong: async (tags, organizationId, cause) => {
      const ids = [...new Set(tags.filter(isId))];
      const managed: string[] = [];
      for (const some of chunksOf(ids, MOST_IDS)) {
        const body = { ids: some };
        managed.push(
          ...(await topology.ask(findTagIds, { params: { id: organizationId }, body, ...(cause && { cause }) })),
        );
      }
      return managed;
    },
    viewsAmong: async (ids, organizationId, cause) => {
      const views: DataOf<typeof findViews> = [];
      for (const some of chunksOf([...new Set(ids)], MOST_FOUND_VIEWS)) {
        const asked = { params: { id: organizationId }, body: { ids: some }, ...(cause && { cause }) };
        views.push(...(await topology.ask(findViews, asked)));
      }
      return views;
    },
    endWebhooks: async ({ organization_id, user_id, key_id, reason }) =>
      topology.ask(endWebhooksOf, { params: { id: organization_id }, body: { user_id, key_id, reason } }),
    queueCollectorJob: (id, body, cause) => topology.ask(queueCollectorJob, { params: { id }, body, cause }),
    endCollectorJobs: async (id, collector_id) => {
      await topology.ask(endCollectorJobs, { params: { id }, query: { collector_id } });
    },
    newsOf: (organizationId, body) => topology.ask(listNews, { params: { id: organizationId }, body }),
    removeOrganization: async (organizationId) => {
      await topology.ask(removeOrganization, { params: { id: organizationId } });
    },
  };
}
