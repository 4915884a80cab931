import type { Command } from "commander";
import { parseAllDocuments } from "yaml";
import type { Plan } from "@nts/client";
import type { Connection } from "../connection.js";
import { type Document, documentOf, type Step, stepOf } from "../documents.js";
import { planText } from "../plans.js";
import { bar } from "../progress.js";
import { confirm, EXIT, Problem, type Terminal } from "../terminal.js";
import { readText } from "../values.js";
import { type AddCommands, connectFor } from "./command.js";

interface ApplyOptions {
  readonly file: readonly string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly comment?: string;
}

export const addApply: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("apply")
    .description("apply files: shows the changes, asks for confirmation, and applies exactly these")
    .requiredOption("-f, --file <paths...>", "documents in YAML or JSON; - is standard input")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history")
    .action(async (options: ApplyOptions, command: Command) => {
      const connection = await connectFor(command, surroundings);
      const documents: Document[] = [];
      for (const path of options.file) documents.push(...readDocuments(await readText(terminal, path), path));
      const shown = await preview(terminal, connection, documents);
      const isIdle = documents.every((document) => shown.get(document) === NOTHING);
      if (options.dryRun === true || isIdle) return;
      await confirm(terminal, "Apply it?", options);
      for (const [at, document] of documents.entries()) {
        terminal.progress(`${bar(at, documents.length)} applied`);
        await applyOne(terminal, connection, { document, shown: shown.get(document) }, options);
      }
    });
};

function readDocuments(text: string, path: string): Document[] {
  return parseAllDocuments(text).flatMap((parsed) => {
    const [error] = parsed.errors;
    if (error !== undefined) throw new Problem(EXIT.usage, `${path}: ${error.message}`);
    const value = parsed.toJS() as unknown;
    return value === null ? [] : [documentOf(value, path)];
  });
}

/** Shows the changes as far as known beforehand. @returns the shown plans */
async function preview(
  terminal: Terminal,
  connection: Connection,
  documents: readonly Document[],
): Promise<Map<Document, string>> {
  const shown = new Map<Document, string>();
  for (const [at, document] of documents.entries()) {
    terminal.progress(`${bar(at, documents.length)} planned`);
    const step = await stepOf(connection, document);
    const text = step === null ? null : planText(await planOf(connection, step));
    // It refers to something that an earlier document creates.
    terminal.print(text ?? `+ ${document.kind} ${document.title}: planned once its references exist`);
    if (text !== null) shown.set(document, text);
  }
  return shown;
}

const NOTHING = planText({ action: "none" } as Plan);

interface Shown {
  readonly document: Document;
  /** Undefined if it could not be planned yet. */
  readonly shown: string | undefined;
}

async function planOf({ transport }: Connection, { operation, input }: Step): Promise<Plan> {
  const response = await transport.send(operation, { ...input, query: { dry_run: true } });
  return (response as { meta: { plan: Plan } }).meta.plan;
}

/** Plans again, as earlier documents were written meanwhile. @throws Problem if that is not what was shown */
async function applyOne(
  terminal: Terminal,
  connection: Connection,
  { document, shown }: Shown,
  { comment }: ApplyOptions,
): Promise<void> {
  const step = await stepOf(connection, document);
  if (step === null)
    throw new Problem(EXIT.missing, `${document.kind} ${document.title}: a referenced entity does not exist.`);
  const plan = await planOf(connection, step);
  if (shown !== undefined && planText(plan) !== shown)
    throw new Problem(
      EXIT.conflict,
      `${document.kind} ${document.title} has changed since its plan was shown, and was not written.`,
    );
  if (plan.action === "none") return;
  const conditions = { ifMatch: plan.etag, ...(comment !== undefined && { comment }) };
  await connection.transport.send(step.operation, { ...step.input, ...conditions });
  terminal.say(`${plan.action}d ${document.kind} ${document.title}`);
}
