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
import { createGatusWriter } from "../exports/formats/gatus.rules.js";
import { createHomeAssistantWriter } from "../exports/formats/home-assistant.rules.js";
import { createHomepageWriter } from "../exports/formats/homepage.rules.js";
import { createHostsWriter } from "../exports/formats/hosts.rules.js";
import { createMetricsWriter } from "../exports/formats/metrics.rules.js";
import { createNetboxWriter } from "../exports/formats/netbox.rules.js";
import { createPrometheusWriter } from "../exports/formats/prometheus.rules.js";
import { createUptimeKumaWriter } from "../exports/formats/uptime-kuma.rules.js";
import type { ExportWriter, Names } from "../exports/formats/writer.rules.js";
import { attributeKeys } from "../exports/attribute-keys.js";
import { drawing } from "../exports/drawing.js";
import { readNames, readNetworkNames, readSubnets } from "../exports/names.js";
import { readNeeds } from "../exports/needs.js";
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
  /** The names of the networks that it is about, by their ids. */
  readonly readNetworks: () => Promise<ReadonlyMap<string, string>>;
  /** The CIDRs of their subnets, by their ids. */
  readonly readSubnets: () => Promise<ReadonlyMap<string, string>>;
  readonly readAttributeKeys: (resource: CsvResource) => Promise<readonly string[]>;
}

interface Kind {
  readonly file: (query: Query) => FileInfo;
  readonly createWriter: (context: ExportContext) => ExportWriter | Promise<ExportWriter>;
  /** Otherwise, hosts come by age. */
  readonly orderBy?: "network_id";
  /** It says what hosts and services need. */
  readonly saysNeeds?: boolean;
}

/** Changes with the content of the file. */
const FORM = "3.";
/** Exports whose pieces are made at the same time, and that wait. */
const PACE = { atATime: 1, mostWaiting: 1_000 };
const JSON_TYPE = "application/json";
const DRAWING: FileInfo = { mediaType: "application/vnd.jgraph.mxfile", fileName: "topology.drawio" };
const fixed = (mediaType: string, fileName: string | null) => (): FileInfo => ({ mediaType, fileName });

const KINDS: Readonly<Record<Exclude<ExportFormat, "drawio">, Kind>> = {
  prometheus: {
    file: fixed(JSON_TYPE, null),
    createWriter: async ({ readNames, query: { service_definition: definition, scheme } }) =>
      createPrometheusWriter(await readNames(), { definition, scheme }),
  },
  certificates: {
    file: fixed("text/plain", null),
    createWriter: async ({ readNames }) => createCertificatesWriter(await readNames()),
  },
  metrics: {
    file: fixed("text/plain", null),
    createWriter: async ({ readNetworks }) => createMetricsWriter(await readNetworks(), Date.now()),
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
  gatus: {
    file: fixed("application/yaml", "gatus.yaml"),
    createWriter: async ({ readNames }) => createGatusWriter(await readNames()),
    saysNeeds: true,
  },
  "uptime-kuma": {
    file: fixed("application/yaml", "autokuma.yaml"),
    createWriter: createUptimeKumaWriter,
    saysNeeds: true,
  },
  "home-assistant": {
    file: fixed("application/yaml", "home-assistant.yaml"),
    createWriter: async ({ readNames, query: { base_url: baseUrl = "" } }) =>
      createHomeAssistantWriter(await readNames(), baseUrl),
    orderBy: "network_id",
  },
  netbox: {
    file: ({ table = "sites" }) => ({ mediaType: "text/csv", fileName: `netbox-${table}.csv` }),
    createWriter: async ({ query: { table = "sites" }, readNames, readNetworks, readSubnets }) =>
      createNetboxWriter(table, {
        names: await readNames(),
        networks: await readNetworks(),
        subnets: await readSubnets(),
      }),
  },
  csv: {
    file: ({ resource = "hosts" }) => ({ mediaType: "text/csv", fileName: `${resource}.csv` }),
    createWriter: async ({ query: { resource = "hosts" }, readNames, readAttributeKeys }) =>
      createCsvWriter(resource, await readNames(), await readAttributeKeys(resource)),
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
      readNetworks: () => readNetworkNames(storage, scope),
      readSubnets: () => readSubnets(storage, scope),
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

/** The formats of parameters that mean something to one of them only, and whether it requires them. */
const ONLY_OF = {
  zone: { format: "dns", isRequired: true },
  base_url: { format: "home-assistant", isRequired: true },
  table: { format: "netbox", isRequired: true },
  resource: { format: "csv", isRequired: false },
  scheme: { format: "prometheus", isRequired: false },
  service_definition: { format: "prometheus", isRequired: false },
} as const satisfies Partial<Record<keyof Query, { format: ExportFormat; isRequired: boolean }>>;

function requireFitting(format: ExportFormat, query: Query): void {
  for (const [path, only] of Object.entries(ONLY_OF)) {
    const isGiven = query[path as keyof typeof ONLY_OF] !== undefined;
    if (only.format === format && only.isRequired && !isGiven)
      throw validationFailed({ path, message: `is required for ${format}` });
    if (only.format !== format && isGiven)
      throw validationFailed({ path, message: `is only supported for ${only.format}` });
  }
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
  const { createWriter, orderBy, saysNeeds = false } = KINDS[format];
  const plan = { work, scope, filter: commonFilter(context.query, scope), join: storage.hosts.withChildren };
  const writer = await createWriter(context);
  yield writer.begin;
  for await (const some of hostsIn(allRows(storage.hosts, plan, orderBy)))
    yield saysNeeds ? writer.hosts(some, await readNeeds(storage, scope, some)) : writer.hosts(some);
  yield* writer.end();
}

async function* drawn(storage: Storage, scope: Scope, query: Query): AsyncGenerator<string, void, void> {
  const networks = await readNetworkNames(storage, scope);
  const filter = commonFilter(query, scope) as Readonly<Record<string, unknown>>;
  yield* drawing(storage, { scope, networks, isDrawn: (host) => meets(hostKind.keysOf(host), filter) });
}
