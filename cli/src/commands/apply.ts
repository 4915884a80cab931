import type { Command } from "commander";
import type { Plan } from "@nts/client";
import type { Connection } from "../connection.js";
import { Coming } from "../bodies.js";
import { atPlace, type Document, documentsIn, knownStepOf, type Step, stepOf, unfolded } from "../documents.js";
import { networkOption } from "../options.js";
import { withNamesIn } from "../plan-names.js";
import { planText } from "../plans.js";
import { bar } from "../progress.js";
import { confirm, EXIT, Problem, type Terminal } from "../terminal.js";
import { placedIn, readText } from "../values.js";
import { type AddCommands, connectFor } from "./command.js";

interface ApplyOptions {
  readonly file: readonly string[];
  readonly network?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly comment?: string;
}

export const addApply: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("apply")
    .description("apply files: shows the changes, asks for confirmation, and applies exactly these")
    .requiredOption(
      "-f, --file <paths...>",
      "documents in YAML or JSON, or what get -o yaml prints; - is standard input",
    )
    .addOption(networkOption("the network of documents that name none"))
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history")
    .action(async (options: ApplyOptions, command: Command) => {
      const connection = await connectFor(command, surroundings);
      const read: Document[] = [];
      for (const path of options.file)
        read.push(...placedIn(await readText(terminal, path), path).flatMap((placed) => documentsIn(placed)));
      const documents = await unfolded(connection, read);
      const shown = await preview(terminal, connection, documents, options);
      const unchanged = documents.filter((document) => shown.get(document) === NOTHING).length;
      if (unchanged === documents.length) terminal.print(NOTHING);
      else if (unchanged > 0) terminal.print(`  ${unchanged} unchanged`);
      if (options.dryRun === true || unchanged === documents.length) return;
      await confirm(terminal, "Apply it?", options);
      for (const [at, document] of documents.entries()) {
        terminal.progress(`${bar(at, documents.length)} applied`);
        if (shown.get(document) !== NOTHING)
          await applyOne(terminal, connection, { document, shown: shown.get(document) }, options);
      }
    });
};

/** Shows the changes as far as known beforehand. @returns the shown plans */
async function preview(
  terminal: Terminal,
  connection: Connection,
  documents: readonly Document[],
  { network }: ApplyOptions,
): Promise<Map<Document, string>> {
  const shown = new Map<Document, string>();
  const coming = new Set<string>();
  let changesAny = false;
  const isComing = (singular: string, name: string): boolean => coming.has(`${singular} ${name.toLowerCase()}`);
  for (const [at, document] of documents.entries()) {
    terminal.progress(`${bar(at, documents.length)} planned`);
    const step = await stepOf(connection, document, { isComing, ...(network !== undefined && { network }) });
    const isLater = step instanceof Problem;
    // Nothing before it could create what it refers to.
    if (isLater && !changesAny) throw atPlace(document, step);
    const plan = isLater || step === "unchanged" ? null : await planOf(connection, step);
    if (isLater || plan?.action === "create")
      coming.add(`${document.kind.toLowerCase()} ${document.title.toLowerCase()}`);
    const text = isLater ? laterText(document, step) : plan === null ? NOTHING : planText(plan);
    if (text !== NOTHING) {
      terminal.print(plan === null ? text : planText(await withNamesIn(connection, plan)));
      changesAny = true;
    }
    if (!isLater) shown.set(document, text);
  }
  return shown;
}

/** It refers to something that an earlier document creates, or probably does. */
function laterText({ kind, title }: Document, problem: Problem): string {
  const why = problem instanceof Coming ? "" : ` (now: ${problem.message})`;
  return `+ ${kind} ${title}: planned once its references exist${why}`;
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
  { comment, network }: ApplyOptions,
): Promise<void> {
  const { kind, title } = document;
  const step = await knownStepOf(connection, document, network === undefined ? {} : { network }).catch(
    (error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      throw atPlace(document, error);
    },
  );
  const plan = step === "unchanged" ? null : await planOf(connection, step);
  if (shown !== undefined && (plan === null ? NOTHING : planText(plan)) !== shown)
    throw new Problem(EXIT.conflict, `${kind} ${title} has changed since its plan was shown, and was not written.`);
  if (step === "unchanged" || plan === null || plan.action === "none") return;
  const conditions = { ifMatch: plan.etag, ...(comment !== undefined && { comment }) };
  await connection.transport.send(step.operation, { ...step.input, ...conditions });
  terminal.say(`${plan.action}d ${kind} ${title}`);
}
