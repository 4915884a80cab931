import type { Command } from "commander";
import {
  cancelImportJob,
  cancelRevertJob,
  getImportJob,
  type ImportJob,
  listImportJobs,
  listRevertJobs,
  type RevertJob,
} from "@nts/shared/contract";
import { revertRequest } from "@nts/shared/follow-job";
import { bar } from "../progress.js";
import { format as formatted, type Format, table } from "../output.js";
import { isTable, outputOption } from "../options.js";
import { importText } from "../plans.js";
import { confirm, type Surroundings } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

export const addImportJobs: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const imports = program.command("imports").description("imports of the last seven days: list, show, cancel, undo");
  imports
    .command("list", { isDefault: true })
    .description("list them, newest first")
    .addOption(outputOption())
    .action(async ({ output }: { output: Format }, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      const jobs = await client.call(listImportJobs, {});
      if (isTable(output) && jobs.length === 0) terminal.say("No imports in the last seven days.");
      else terminal.print(isTable(output) ? rowsOf(jobs, output) : formatted(jobs, output));
    });
  imports
    .command("show <id>")
    .description("show what one has done")
    .action(async (id: string, _options: unknown, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      const { plan, ...job } = await client.call(getImportJob, { params: { id } });
      terminal.print(rowsOf([job]));
      if (job.error !== null) terminal.print(job.error.message);
      if (plan !== null) terminal.print(importText(plan));
    });
  imports
    .command("cancel <id>")
    .description("end one after the hosts that are being written; what was imported remains")
    .action(async (id: string, _options: unknown, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      const job = await client.call(cancelImportJob, { params: { id } });
      terminal.print(rowsOf([job]));
    });
  imports
    .command("undo <id>")
    .description("revert everything that one has changed")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--dry-run", "only say what would be reverted, or what prevents it")
    .action((id: string, options: UndoOptions, command: Command) => undo(id, options, command, surroundings));
  imports
    .command("undos")
    .description("list the undos of large imports that you have started in the last seven days, newest first")
    .addOption(outputOption())
    .action(async ({ output }: { output: Format }, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      const jobs = await client.call(listRevertJobs, {});
      if (isTable(output) && jobs.length === 0) terminal.say("No undos in the last seven days.");
      else terminal.print(output === "table" ? undoRowsOf(jobs) : formatted(jobs, output));
    });
  imports
    .command("cancel-undo <id>")
    .description("end the undo of a large import after what is being written; undo the import again for the rest")
    .action(async (id: string, _options: unknown, command: Command) => {
      const { client } = await connectFor(command, surroundings);
      terminal.print(undoRowsOf([await client.call(cancelRevertJob, { params: { id } })]));
    });
};

interface UndoOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

async function undo(id: string, options: UndoOptions, command: Command, surroundings: Surroundings): Promise<void> {
  const { terminal } = surroundings;
  const { client } = await connectFor(command, surroundings);
  const { request_id, done } = await client.call(getImportJob, { params: { id } });
  const isDry = options.dryRun === true;
  if (!isDry) await confirm(terminal, `Undo this import of ${done} hosts?`, options);
  const { restored, updated, removed } = await revertRequest(client, request_id, {
    isDry,
    onProgress: ({ done, total }) => terminal.progress(total === null ? "Counting …" : bar(done, total)),
  });
  terminal.print(
    `${isDry ? "Would be undone" : "Undone"}: ${removed} removed, ${updated} reset, ${restored} restored.`,
  );
}

/** Jobs in a few columns. */
function rowsOf(jobs: readonly ImportJob[], output: Format = "table"): string {
  const rows = jobs.map(({ id, state, format, dry_run, done, total, created_at }) => ({
    state,
    hosts: total === null ? "" : `${done} of ${total}`,
    format: dry_run ? `${format} (preview)` : format,
    created_at,
    id,
  }));
  return table(rows, ["state", "hosts", "format", "created_at", "id"], {
    hasAges: output !== "wide",
  });
}

function undoRowsOf(jobs: readonly RevertJob[]): string {
  const rows = jobs.map(({ id, state, reverts, dry_run, done, total, created_at }) => ({
    state: dry_run ? `${state} (dry run)` : state,
    entities: total === null ? "" : `${done} of ${total}`,
    reverts,
    created_at,
    id,
  }));
  return table(rows, ["state", "entities", "reverts", "created_at", "id"]);
}
