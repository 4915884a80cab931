import { Command, CommanderError } from "commander";
import { addAgent } from "./commands/agent.js";
import { addApi } from "./commands/api.js";
import { addAttachment } from "./commands/attachment.js";
import { addApply } from "./commands/apply.js";
import { addChanges, addDiff, addExport, addWatch } from "./commands/changes.js";
import { addCollect } from "./commands/collect.js";
import { addCollectors } from "./commands/collectors.js";
import { addCompletion } from "./commands/completion.js";
import { addContexts } from "./commands/contexts.js";
import { addImpact } from "./commands/impact.js";
import { addImportJobs } from "./commands/import-jobs.js";
import { addImport } from "./commands/imports.js";
import { addKey, addLogin } from "./commands/login.js";
import { addMerge } from "./commands/merge.js";
import { addNotifications } from "./commands/notifications.js";
import { addRevert } from "./commands/revert.js";
import { addShare } from "./commands/share.js";
import { addResources } from "./commands/resources.js";
import { exampleFor } from "./examples.js";
import { describeFailure } from "./failures.js";
import { EXIT, type Surroundings } from "./terminal.js";

/** Builds the whole program. @param version printed by `--version` */
export function createProgram(surroundings: Surroundings, version: string): Command {
  const { terminal } = surroundings;
  const program = new Command("nts")
    .description("The network topology service on the command line.")
    .version(version)
    .option("--url <url>", "the server; default NTS_URL, or that of the context")
    .option(
      "--context <name>",
      "the server and key by the name of their context; default NTS_CONTEXT, or the current one",
    )
    .addHelpText(
      "after",
      "\nNTS_URL and NTS_API_KEY take precedence over the settings stored by `nts login`. Exit codes: 0 success, 1 rejected,\n" +
        "2 invalid command line, 3 not allowed, 4 not found, 5 conflict, 6 too many requests, 7 server unavailable or failing.",
    );
  for (const add of [
    addLogin,
    addKey,
    addContexts,
    addResources,
    addMerge,
    addShare,
    addImpact,
    addAttachment,
    addImport,
    addImportJobs,
    addCollect,
    addAgent,
    addCollectors,
    addExport,
    addChanges,
    addWatch,
    addDiff,
    addRevert,
    addApply,
    addNotifications,
    addApi,
    addCompletion,
  ])
    add(program, surroundings);
  // It will not ask: then it does all that it is told to, whoever reads what it says.
  program.hook("preAction", (_program, command) => {
    const { yes, dryRun } = command.opts<{ yes?: boolean; dryRun?: boolean }>();
    if (yes === true && dryRun !== true) terminal.outliveReader();
  });
  settle(
    program,
    (text) => terminal.say(text.trimEnd()),
    (text) => terminal.print(text.trimEnd()),
  );
  return program;
}

/** Commands throw instead of ending the process, and print via the terminal. */
function settle(
  command: Command,
  writeErr: (text: string) => void,
  writeOut: (text: string) => void,
  path: readonly string[] = [],
): void {
  command.exitOverride().configureOutput({ writeErr, writeOut }).showHelpAfterError("See --help.");
  const example = exampleFor(path);
  if (example !== null) command.addHelpText("after", `\nExample:\n  ${example}`);
  for (const one of command.commands) settle(one, writeErr, writeOut, [...path, one.name()]);
}

/** Runs a command line, without the program's own words. @returns the exit code */
export async function run(surroundings: Surroundings, version: string, words: readonly string[]): Promise<number> {
  const { terminal } = surroundings;
  try {
    await createProgram(surroundings, version).parseAsync(words, { from: "user" });
    return EXIT.success;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.success : EXIT.usage;
    if (terminal.signal.aborted) return INTERRUPTED;
    const failure = describeFailure(error);
    if (failure === null) throw error;
    if (failure.text !== "") terminal.say(failure.text);
    return failure.exitCode;
  }
}

/** The conventional exit code after Ctrl-C. */
const INTERRUPTED = 130;
