import {
  confirmAuditNotes,
  endWebhooksOf,
  findTagIds,
  findViews,
  listAuditNotes,
  listNetworkIds,
  removeOrganization,
} from "@nts/shared/contract/internal";
import { respond } from "@nts/shared/http/respond";
import { INTERNAL } from "@nts/shared/http/headers";
import type { Scope } from "@nts/shared/http/tenancy";
import { createRouter, mountAny, type Router, type RouterOptions } from "@nts/shared/http/mount";
import { mapMongoFault } from "@nts/shared/mongo/faults";
import { DEADLINES } from "@nts/shared/timing";
import { mountArchives } from "./resources/archives.js";
import { type JournalAccess, mountChanges } from "./resources/changes.js";
import { mountBindings } from "./resources/bindings.js";
import { mountAttachment } from "./resources/attachment.js";
import { mountDependencies } from "./resources/dependencies.js";
import { mountCollectors } from "./resources/collectors.js";
import { mountDefinitions } from "./resources/definitions.js";
import { mountDiff } from "./resources/diff.js";
import { mountExports } from "./resources/exports.js";
import { mountHosts } from "./resources/hosts.js";
import { mountImpact } from "./resources/impact.js";
import { mountImportJobs } from "./resources/import-jobs.js";
import { type Imports, mountImports } from "./resources/imports.js";
import { mountInterfaces } from "./resources/interfaces.js";
import { mountLinks } from "./resources/links.js";
import { mountNetworks } from "./resources/networks.js";
import type { Notices } from "./deletions/notices.js";
import { deleteOrganization } from "./deletions/organizations.js";
import { mountPorts } from "./resources/ports.js";
import { createPast } from "./past/past.js";
import { mountNews } from "./resources/news.js";
import { mountReports } from "./resources/reports.js";
import { mountRevert, REVERT_LIMITS, type RevertLimits } from "./resources/revert.js";
import type { RevertJobRunner } from "./reverts/jobs.js";
import { mountStats } from "./resources/stats.js";
import { mountSharedView } from "./resources/shared-view.js";
import { mountServices } from "./resources/services.js";
import { STORED } from "./storage/entity-reader.js";
import { BY_ID } from "./storage/indexes.js";
import type { Storage } from "./storage/storage.js";
import { mountSubnets } from "./resources/subnets.js";
import { mountTags } from "./resources/tags.js";
import { mountTopology } from "./resources/topology.js";
import { mountViews } from "./resources/views.js";
import { mountVlans } from "./resources/vlans.js";
import { mountWebhooks } from "./resources/webhooks.js";
import { endWebhooks } from "./webhooks/makers.js";
import type { WebhookOperations } from "./webhooks/operations.js";

/** The service's dependencies; it neither listens nor reads the environment. */
export interface TopologyParts {
  readonly storage: Storage;
  readonly notices: Notices;
  readonly imports: Imports;
  readonly journal: JournalAccess;
  readonly webhooks: WebhookOperations;
  readonly reverts: RevertJobRunner;
  /** Other than the default only in tests. */
  readonly revertLimits?: RevertLimits | undefined;
  readonly router: Pick<RouterOptions, "verifyTenancy" | "log" | "tracing" | "observe" | "shares">;
}

/** The topology service, ready to handle requests. */
export function createTopologyApp(parts: TopologyParts): Router {
  const { storage, notices, imports, journal, webhooks, router: options } = parts;
  const router = createRouter({
    ...options,
    mapFault: mapMongoFault,
    deadlineMs: DEADLINES.serviceMs,
    visible: storage.deletions.visible,
    writes: storage.writes,
    beforeList: async (scope) => {
      const [cursors, n] = await Promise.all([journal.reader.cursors(), journal.reader.place(scope)]);
      return { [INTERNAL.changesCursor]: cursors.of(scope.organizationId, n) };
    },
  });
  const past = createPast(storage, journal.reader);
  mountNetworks(router, storage, past, notices);
  mountVlans(router, storage, past);
  mountSubnets(router, storage, past);
  mountHosts(router, storage, past);
  mountInterfaces(router, storage, past);
  mountPorts(router, storage, past);
  mountServices(router, storage, past);
  mountBindings(router, storage, past);
  mountLinks(router, storage, past);
  mountTags(router, storage, past, notices);
  mountDefinitions(router);
  mountViews(router, storage, past, notices);
  mountDependencies(router, storage, past);
  mountImpact(router, storage, past);
  mountAttachment(router, storage, past);
  mountSharedView(router, storage, past);
  mountTopology(router, storage, past);
  mountChanges(router, journal, storage);
  mountDiff(router, journal.reader, storage.database);
  mountRevert(router, journal.reader, {
    storage,
    notices,
    limits: parts.revertLimits ?? REVERT_LIMITS,
    jobs: parts.reverts,
    waiting: journal.waiting,
  });
  mountWebhooks(router, { storage, notices, operations: webhooks, reader: journal.reader });
  mountImports(router, storage, imports);
  mountImportJobs(router, storage, journal.waiting);
  mountCollectors(router, { storage, imports: imports.jobs, waiting: journal.waiting });
  mountReports(router, storage);
  mountExports(router, storage, journal.reader);
  mountArchives(router, { storage, notices, runner: imports.runner, journal: journal.reader });
  mountStats(router, storage, journal.reader);

  mountAny(router, listNetworkIds, async ({ params }) => {
    const found = await storage.networks.select(wholeOf(params.id), {}, { projection: { _id: 1 }, sort: { _id: 1 } });
    return respond.data(found.map(({ _id }) => _id));
  });

  mountAny(router, findTagIds, async ({ params, body }) => {
    const found = await storage.tags.select(wholeOf(params.id), { _id: { $in: body.ids } }, { projection: { _id: 1 } });
    return respond.data(found.map(({ _id }) => _id));
  });

  mountAny(router, findViews, async ({ params, body }) => {
    const scope = await storage.deletions.visible(wholeOf(params.id));
    const found = await storage.views.select(scope, { _id: { $in: body.ids } }, { projection: STORED, hint: BY_ID });
    const views = found.map((document) => storage.views.storedIn(document, scope).entity);
    return respond.data(views.map(({ id, network_id, name }) => ({ id, network_id, name })));
  });

  mountAny(router, removeOrganization, async ({ params }) => {
    await deleteOrganization(storage, params.id);
    return respond.data(null);
  });

  mountAny(router, endWebhooksOf, async ({ params, body }) => {
    if (body.reason !== null)
      for (const jobs of [storage.importJobs, storage.revertJobs]) await jobs.endOf(params.id, body);
    const made = await endWebhooks(storage, webhooks.states, params.id, body);
    if (made.length > 0 && body.reason !== null) notices.auditNoted(params.id);
    return respond.data(made);
  });

  mountAny(router, listAuditNotes, async ({ query }) => respond.data(await storage.auditNotes.page(query.after)));

  mountAny(router, confirmAuditNotes, async ({ params, body }) => {
    await storage.auditNotes.remove(params.id, body.ids);
    return respond.data(null);
  });
  mountNews(router, storage, journal.reader);
  return router;
}

/** The scope of a process acting for an organization. */
function wholeOf(organizationId: string): Scope {
  return { organizationId, networks: "all" };
}
