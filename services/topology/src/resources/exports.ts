import { type CsvResource, exportInventory, type ExportFormat, type QueryOf } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { respond, type FileInfo } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { createPacer } from "@nts/shared/scheduling/pacer";
import type { Work } from "@nts/shared/work";
import { createAnsibleWriter, MOST_ANSIBLE_HOSTS } from "../exports/formats/ansible.rules.js";
import { createCertificatesWriter } from "../exports/formats/certificates.rules.js";
import { createCsvWriter } from "../exports/formats/csv.rules.js";
import { createDnsWriter } from "../exports/formats/dns.rules.js";
import { createHomepageWriter } from "../exports/formats/homepage.rules.js";
import { createHostsWriter } from "../exports/formats/hosts.rules.js";
import { createPrometheusWriter } from "../exports/formats/prometheus.rules.js";
import type { ExportWriter, Names } from "../exports/formats/writer.rules.js";
import { attributeKeys } from "../exports/attribute-keys.js";
import { drawing } from "../exports/drawing.js";
import { readNames, readNetworkNames } from "../exports/names.js";
import { inPieces } from "../exports/pieces.js";
import { hostsIn } from "../exports/rows.js";
import { hostKind } from "../kinds/host.js";
import { meets } from "../past/conditions.rules.js";
import { readSeenState, type StateParts } from "../journal/seen-state.js";
import { FACET_INDEX, TAG_INDEX } from "../storage/indexes.js";
import { allRows, commonFilter, streamed } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

type Query = QueryOf<typeof exportInventory>;

interface ExportContext {
  readonly query: Query;
  /** Number of the inventory's last change. */
  readonly place: number;
  readonly readNames: () => Promise<Names>;
  readonly readAttributeKeys: (resource: CsvResource) => Promise<readonly string[]>;
}

interface Kind {
  readonly file: (query: Query) => FileInfo;
  readonly createWriter: (context: ExportContext) => ExportWriter | Promise<ExportWriter>;
  /** Otherwise, hosts come by age. */
  readonly orderBy?: "network_id";
}

/** Changes with the content of the file. */
const FORM = "2.";
/** Exports whose pieces are made at the same time, and that wait. */
const PACE = { atATime: 1, mostWaiting: 1_000 };
const JSON_TYPE = "application/json";
const DRAWING: FileInfo = { mediaType: "application/vnd.jgraph.mxfile", fileName: "topology.drawio" };
const fixed = (mediaType: string, fileName: string | null) => (): FileInfo => ({ mediaType, fileName });

const KINDS: Readonly<Record<Exclude<ExportFormat, "drawio">, Kind>> = {
  prometheus: {
    file: fixed(JSON_TYPE, null),
    createWriter: async ({ readNames }) => createPrometheusWriter(await readNames()),
  },
  certificates: {
    file: fixed("text/plain", null),
    createWriter: async ({ readNames }) => createCertificatesWriter(await readNames()),
  },
  ansible: {
    file: fixed(JSON_TYPE, "inventory.json"),
    createWriter: async ({ readNames }) => createAnsibleWriter(await readNames()),
  },
  hosts: { file: fixed("text/plain", "hosts.txt"), createWriter: createHostsWriter },
  dns: {
    file: fixed("text/dns", "zone.txt"),
    createWriter: ({ query: { zone = "" }, place }) => createDnsWriter(zone, place),
  },
  homepage: {
    file: fixed("application/yaml", "services.yaml"),
    createWriter: async ({ readNames }) => createHomepageWriter(await readNames()),
    orderBy: "network_id",
  },
  csv: {
    file: ({ resource = "hosts" }) => ({ mediaType: "text/csv", fileName: `${resource}.csv` }),
    createWriter: async ({ query: { resource = "hosts" }, readAttributeKeys }) =>
      createCsvWriter(resource, await readAttributeKeys(resource)),
  },
};

/** Exports all hosts with their children in another format. */
export function mountExports(router: Router, storage: Storage, journal: StateParts["journal"]): void {
  // One piece at a time, and requests go first: otherwise a few exports would keep the process busy.
  const paced = createPacer({ ...PACE, rest: () => storage.database.idle() });
  const state = { database: storage.database, journal, form: FORM };

  mount(router, exportInventory, async ({ work, scope: whole, principal, params: { format }, query }) => {
    requireFitting(format, query);
    const scope = narrowedTo(whole, query.network_id);
    if (format === "ansible") await requireFew(storage, scope, query);
    const { place, tag } = await readSeenState(state, { work, rights: principal.scope });
    const context: ExportContext = {
      query,
      place,
      readNames: () => readNames(storage, whole),
      readAttributeKeys: (resource) =>
        resource === "ports" ? Promise.resolve([]) : attributeKeys(storage, scope, resource),
    };
    // Nothing is read if the client already has the file.
    const text =
      format === "drawio" ? drawn(storage, scope, query) : written(storage, { work, scope, format, context });
    const file = format === "drawio" ? DRAWING : KINDS[format].file(query);
    return respond.file(streamed(work, paced(inPieces(text), scope.organizationId)), file, tag);
  });
}

function requireFitting(format: ExportFormat, { zone, resource }: Query): void {
  if (format === "dns" && zone === undefined) throw validationFailed({ path: "zone", message: "is required for dns" });
  if (format !== "dns" && zone !== undefined)
    throw validationFailed({ path: "zone", message: "is only supported for dns" });
  if (format !== "csv" && resource !== undefined)
    throw validationFailed({ path: "resource", message: "is only supported for csv" });
}

/** Group members of an Ansible inventory are kept in memory until the end. */
async function requireFew({ totals, hosts }: Storage, scope: Scope, query: Query): Promise<void> {
  const filter = commonFilter(query, scope);
  const found =
    "tags" in filter || "facets" in filter
      ? await hosts.count(scope, filter, "tags" in filter ? TAG_INDEX : FACET_INDEX)
      : await totals.total(scope, "hosts");
  if (found > MOST_ANSIBLE_HOSTS)
    throw validationFailed({
      path: "network_id",
      message: `must select at most ${MOST_ANSIBLE_HOSTS} hosts for ansible`,
    });
}

interface ExportRequest {
  readonly work: Work;
  readonly scope: Scope;
  readonly format: keyof typeof KINDS;
  readonly context: ExportContext;
}

async function* written(
  storage: Storage,
  { work, scope, format, context }: ExportRequest,
): AsyncGenerator<string, void, void> {
  const { createWriter, orderBy } = KINDS[format];
  const plan = { work, scope, filter: commonFilter(context.query, scope), join: storage.hosts.withChildren };
  const writer = await createWriter(context);
  yield writer.begin;
  for await (const some of hostsIn(allRows(storage.hosts, plan, orderBy))) yield writer.hosts(some);
  yield* writer.end();
}

async function* drawn(storage: Storage, scope: Scope, query: Query): AsyncGenerator<string, void, void> {
  const networks = await readNetworkNames(storage, scope);
  const filter = commonFilter(query, scope) as Readonly<Record<string, unknown>>;
  yield* drawing(storage, { scope, networks, isDrawn: (host) => meets(hostKind.keysOf(host), filter) });
}
