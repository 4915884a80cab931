import { exportInventory, type ExportFormat, type Host, type QueryOf } from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { answer, type FileInfo } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { createAnsibleWriter } from "../exports/formats/ansible.rules.js";
import { createCsvWriter } from "../exports/formats/csv.rules.js";
import { createDnsWriter } from "../exports/formats/dns.rules.js";
import { createHostsWriter } from "../exports/formats/hosts.rules.js";
import { createPrometheusWriter } from "../exports/formats/prometheus.rules.js";
import type { ExportWriter, Names } from "../exports/formats/writer.rules.js";
import { readNames } from "../exports/names.js";
import { hostsIn } from "../exports/rows.js";
import type { JournalReader } from "../journal/read.js";
import { allRows, commonFilter, streamed } from "../storage/lists.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

type Query = QueryOf<typeof exportInventory>;

interface Asked {
  readonly query: Query;
  /** How many changes the inventory has behind it. */
  readonly place: number;
  readonly readNames: () => Promise<Names>;
}

interface Kind {
  readonly file: (query: Query) => FileInfo;
  readonly createWriter: (asked: Asked) => ExportWriter | Promise<ExportWriter>;
}

/** Another one when the same inventory becomes another file. */
const FORM = "1.";
const JSON_TYPE = "application/json";
const fixed = (mediaType: string, fileName: string | null) => (): FileInfo => ({ mediaType, fileName });

const KINDS: Readonly<Record<ExportFormat, Kind>> = {
  prometheus: {
    file: fixed(JSON_TYPE, null),
    createWriter: async ({ readNames }) => createPrometheusWriter(await readNames()),
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
  csv: {
    file: ({ resource = "hosts" }) => ({ mediaType: "text/csv", fileName: `${resource}.csv` }),
    createWriter: ({ query: { resource = "hosts" } }) => createCsvWriter(resource),
  },
};

/** Answers all hosts with what is on them, by age, in another form. */
export function mountExports(
  router: Router,
  storage: Storage,
  journal: Pick<JournalReader, "place" | "cursors">,
): void {
  mount(router, exportInventory, async ({ work, scope: whole, principal, params: { format }, query }) => {
    requireFitting(format, query);
    const scope = narrowedTo(whole, query.network_id);
    // Looked at first: what is read later may be newer than its tag says, and never older.
    const [place, cursors] = await Promise.all([journal.place(principal.scope), journal.cursors()]);
    const plan = { work, scope, filter: commonFilter(query, scope), join: storage.hosts.withChildren };
    const { file, createWriter } = KINDS[format];
    const hosts = hostsIn(allRows(storage.hosts, plan));
    // Nothing of it is read for who has the file already.
    const text = written(hosts, () => createWriter({ query, place, readNames: () => readNames(storage, whole) }));
    return answer.file(streamed(work, text), file(query), {
      revision: `${FORM}${cursors.of(scope.organizationId, place)}`,
    });
  });
}

function requireFitting(format: ExportFormat, { zone, resource }: Query): void {
  if (format === "dns" && zone === undefined) throw validationFailed({ path: "zone", message: "must be given for dns" });
  if (format !== "dns" && zone !== undefined) throw validationFailed({ path: "zone", message: "is for dns only" });
  if (format !== "csv" && resource !== undefined) throw validationFailed({ path: "resource", message: "is for csv only" });
} // prettier-ignore

async function* written(
  hosts: AsyncIterable<readonly Host[]>,
  createWriter: () => ExportWriter | Promise<ExportWriter>,
): AsyncGenerator<string> {
  const writer = await createWriter();
  let before = writer.begin;
  for await (const some of hosts) {
    const text = before + writer.hosts(some);
    before = "";
    if (text !== "") yield text;
  }
  yield before + writer.end();
}
