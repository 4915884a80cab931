import type { Command } from "commander";
import { getImportJob, isId, revertChanges } from "@nts/shared/contract";
import { ApiError, type Client } from "@nts/shared/client";
import { revertRequest } from "@nts/shared/follow-job";
import { withNamesIn } from "../plan-names.js";
import { planText } from "../plans.js";
import { bar } from "../progress.js";
import { confirm } from "../terminal.js";
import { type AddCommands, connectFor } from "./command.js";

// `revert` takes back what a request or an import has changed. Requests are listed by `changes`.

interface RevertOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly comment?: string;
}

export const addRevert: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  program
    .command("revert <id>")
    .description("take back everything that a request or an import has changed; nts changes shows their ids")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history")
    .action(async (id: string, options: RevertOptions, command: Command) => {
      const connection = await connectFor(command, surroundings);
      const { client } = connection;
      const request_id = await requestOf(client, id);
      terminal.progress("Planning …");
      const plan = await client.plan(revertChanges, { body: { request_id } });
      const text = planText(await withNamesIn(connection, plan));
      if (options.dryRun === true) {
        terminal.print(text);
        return;
      }
      terminal.say(text);
      await confirm(terminal, "Revert it?", options);
      const { restored, updated, removed } = await revertRequest(client, request_id, {
        onProgress: ({ done, total }) => terminal.progress(total === null ? "Counting …" : bar(done, total)),
        ifMatch: plan.etag,
        ...(options.comment !== undefined && { comment: options.comment }),
      });
      terminal.print(`Reverted: ${removed} removed, ${updated} reset, ${restored} restored.`);
    });
};

/** The request of an import, or the id of the request itself. */
async function requestOf(client: Client, id: string): Promise<string> {
  if (!isId(id)) return id;
  try {
    return (await client.call(getImportJob, { params: { id } })).request_id;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return id;
    throw error;
  }
}
