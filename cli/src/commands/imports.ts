import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { stringify } from "yaml";
import {
  COLUMN_MEANINGS,
  CSV_RESOURCES,
  IMPORT_FORMATS,
  importArchive,
  importFile,
  importNmap,
  type ImportJob,
  type ImportPlan,
} from "@nts/shared/contract";
import { followJob } from "@nts/shared/follow-job";
import type { Connection } from "../connection.js";
import { linesOfFile, type ReportedFile } from "../discover/files.rules.js";
import { textOf } from "../discover/report.rules.js";
import { onlyNetwork } from "../find.js";
import { archiveText, importNames, importText, isIdle, isIdleArchive } from "../plans.js";
import { bar } from "../progress.js";
import { confirm, EXIT, Problem, type Surroundings, type Terminal } from "../terminal.js";
import { unreadable } from "../values.js";
import { type AddCommands, connectFor } from "./command.js";

interface ImportOptions {
  readonly network?: string;
  readonly format: (typeof IMPORT_FORMATS)[number] | "nmap" | "archive";
  readonly host?: string;
  readonly hostname?: string;
  readonly resource?: (typeof CSV_RESOURCES)[number];
  readonly column: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly output: (typeof OUTPUTS)[number];
}

const OUTPUTS = ["text", "json", "yaml"] as const;
const PLANNING = "Planning …";

export const addImport: AddCommands = (program, surroundings) => {
  program
    .command("import <file...>")
    .description(
      "import a scan, sockets, neighbours, leases, containers or a table, after showing the plan; walks of several switches together",
    )
    .option("-n, --network <name>", "the network of the file; optional if there is only one")
    .addOption(
      new Option("--format <format>", "of the file").choices([...IMPORT_FORMATS, "nmap", "archive"]).default("auto"),
    )
    .option("--hostname <name>", "the machine that the file describes")
    .addOption(new Option("--resource <rows>", "the kind of the rows of a table").choices(CSV_RESOURCES))
    .option(
      "--column <heading=meaning>",
      `what a column of a table means, repeatable: ${COLUMN_MEANINGS.join(", ")}, attributes_key`,
      (said: string, before: readonly string[]) => [...before, said],
      [],
    )
    .addOption(new Option("-o, --output <format>", "of the plan and the result").choices(OUTPUTS).default("text"))
    .option("--dry-run", "only show the plan")
    .option("-y, --yes", "do not ask for confirmation")
    .action((files: string[], options: ImportOptions, command: Command) =>
      importFiles(files, options, command, surroundings),
    );
};

async function importFiles(
  paths: readonly string[],
  options: ImportOptions,
  command: Command,
  surroundings: Surroundings,
): Promise<void> {
  const { terminal } = surroundings;
  const connection = await connectFor(command, surroundings);
  const { hostname, resource, column, format, network } = options;
  const [path = "", ...others] = paths;
  if (others.length > 0 && !TOGETHER.has(format))
    throw new Problem(
      EXIT.usage,
      "Only walks of switches and output of lldpctl are imported together; import one file at a time.",
    );
  if (format === "archive") return importAll(await bytesOf(terminal, path), options, connection, terminal);
  const body = others.length > 0 ? await reportOf(terminal, paths) : await bytesOf(terminal, path);
  const network_id = await onlyNetwork(connection, network);
  const query = {
    ...(hostname !== undefined && { hostname }),
    ...(resource !== undefined && { resource }),
    ...(column.length > 0 && { columns: [...column] }),
  };
  const { client } = connection;
  const start = (dry_run: boolean): Promise<ImportJob> =>
    format === "nmap"
      ? client.start(importNmap, { query: { network_id, dry_run }, body })
      : client.start(importFile, {
          params: { format: others.length > 0 ? "report" : format },
          query: { network_id, ...query, dry_run },
          body,
        });
  terminal.progress(PLANNING);
  const plan = await resultOf(connection, terminal, await start(true));
  requireColumns(plan, column);
  const isLast = options.dryRun === true || isIdle(plan);
  const names = importNames(plan);
  show(terminal, plan, options, { isLast, text: [...names, importText(plan)].join("\n") });
  if (isLast) return;
  await confirm(terminal, "Import it?", options);
  const job = await start(false);
  const done = await resultOf(connection, terminal, job);
  show(terminal, done, options, { isLast: true, text: importText(done) });
  terminal.say(`To take it back: nts imports undo ${job.id}`);
  if (done.summary.hosts.failed > 0) throw new Problem(EXIT.conflict, `${done.summary.hosts.failed} hosts failed.`);
}

interface Shown {
  /** Nothing follows; of several outputs, scripts read the last one only. */
  readonly isLast: boolean;
  readonly text: string;
}

/** On standard output, unless another one follows that nobody has to confirm. */
function show(terminal: Terminal, plan: object, { output, yes }: ImportOptions, { isLast, text }: Shown): void {
  if (output !== "text") {
    if (isLast) terminal.print(output === "json" ? JSON.stringify(plan, null, 2) : stringify(plan).trimEnd());
    else terminal.say(text);
  } else if (isLast || yes !== true) terminal.print(text);
  else terminal.say(text);
}

/** Formats of files that say more together: each switch knows only its own ports. */
const TOGETHER: ReadonlySet<string> = new Set(["auto", "snmp-walk", "lldp"]);

/** Several walks and outputs of lldpctl as one file. @throws Problem */
async function reportOf(terminal: Terminal, paths: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const files = await Promise.all(
    paths.map(async (name): Promise<ReportedFile> => {
      const text = new TextDecoder().decode(await bytesOf(terminal, name));
      return { format: text.trimStart().startsWith("{") ? "lldp" : "snmp-walk", name, text };
    }),
  );
  const begin = { report: 1, program: "nts", started_at: new Date().toISOString() };
  return new TextEncoder().encode(textOf([begin, ...files.flatMap(linesOfFile), { end: {} }]));
}

/** The API ignores headings that a table does not have; here they are mistakes. @throws Problem */
function requireColumns({ columns = [] }: ImportPlan, said: readonly string[]): void {
  const given = columns.filter((column) => column.given).length;
  if (given >= new Set(said.map((one) => one.slice(0, one.lastIndexOf("=")))).size) return;
  const headings = columns.map(({ heading }) => heading).join(", ");
  throw new Problem(EXIT.usage, `Not all columns of --column are in the table; its columns are ${headings}.`);
}

async function importAll(
  body: Uint8Array<ArrayBuffer>,
  options: ImportOptions,
  { client }: Connection,
  terminal: Terminal,
): Promise<void> {
  terminal.progress(PLANNING);
  const plan = await client.call(importArchive, { query: { dry_run: true }, body });
  const isLast = options.dryRun === true || isIdleArchive(plan);
  show(terminal, plan, options, { isLast, text: archiveText(plan) });
  if (isLast) return;
  await confirm(terminal, "Import it?", options);
  const onText = countingOf(terminal, plan.archive.counts);
  const done = await client.call(importArchive, { query: {}, body, onText });
  show(terminal, done, options, { isLast: true, text: archiveText(done) });
  if (done.failed.length > 0) throw new Problem(EXIT.conflict, `${done.failed.length} entities failed.`);
}

async function bytesOf(terminal: Terminal, path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (path === "-") return new TextEncoder().encode(await terminal.input());
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The plan of a job when it has ended. Ctrl-C does not end the job. */
async function resultOf({ client }: Connection, terminal: Terminal, job: ImportJob): Promise<ImportPlan> {
  const onProgress = ({ state, done, total }: ImportJob): void => {
    const what = job.dry_run ? PLANNING : "Importing";
    terminal.progress(state === "queued" ? "Waiting for other imports …" : total === null ? what : bar(done, total));
  };
  try {
    const { plan } = await followJob(client, job, { onProgress, signal: terminal.signal });
    if (plan === null) throw new Problem(EXIT.failed, "The plan of the import is no longer kept.");
    return plan;
  } catch (error) {
    if (terminal.signal.aborted && !job.dry_run)
      terminal.say(
        `The import goes on. See it with: nts imports show ${job.id}, end it with: nts imports cancel ${job.id}`,
      );
    throw error;
  }
}

/** The response lists the number of processed entities. */
function countingOf(terminal: Terminal, counts: Readonly<Record<string, number>>): (text: string) => void {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return (text) => terminal.progress(bar(Number(/"progress":\[(?:\d+,)*(\d+)/.exec(text)?.[1] ?? 0), all));
}
