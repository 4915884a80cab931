import type { Command } from "commander";
import { type OutputOptions, isTable, outputOption } from "../options.js";
import { format, table } from "../output.js";
import { type Choice, chooseContext, readStored, removeContext, requireUrl, storeContext } from "../settings.js";
import { confirm, EXIT, Problem } from "../terminal.js";
import type { AddCommands } from "./command.js";

// The servers that this machine knows, each with its key.

export const addContexts: AddCommands = (program, { terminal }) => {
  const context = program.command("context").description("the servers that you use, each with its key");
  context
    .command("list", { isDefault: true })
    .description("list them; the current one has a star")
    .addOption(outputOption())
    .action(async ({ output }: OutputOptions) => {
      const { current, contexts } = await readStored(terminal);
      // Never the keys.
      const rows = Object.entries(contexts).map(([name, { url, email, api_key }]) => ({
        ...{ current: name === current ? "*" : "", name, url, email, key: api_key === "" ? "none" : "stored" },
      }));
      if (!isTable(output)) terminal.print(format(rows, output));
      else if (rows.length === 0) terminal.say("No contexts. Sign in with `nts login --url URL`.");
      else terminal.print(table(rows, ["current", "name", "url", "email", "key"]));
    });
  context
    .command("use <name>")
    .description("use one from now on; NTS_CONTEXT or --context names another one for once")
    .action((name: string) => chooseContext(terminal, name));
  context
    .command("add <name> [url]")
    .description("add a server without a key; `nts login --context NAME` signs in")
    .action(async (name: string, given: string | undefined, _options: unknown, command: Command) => {
      const url = (given ?? command.optsWithGlobals<Choice>().url ?? "").replace(/\/+$/, "");
      if (url === "") throw new Problem(EXIT.usage, `Which server? nts context add ${name} URL`);
      requireUrl(url);
      const { contexts } = await readStored(terminal);
      if (contexts[name] !== undefined) throw new Problem(EXIT.conflict, `There is a context ${name} already.`);
      await storeContext(terminal, { url, apiKey: null, email: null, context: name }, { isUsed: false });
    });
  context
    .command("remove <name>")
    .description("remove one with its key from this machine; the key itself can be deleted in the console")
    .option("-y, --yes", "do not ask for confirmation")
    .action(async (name: string, options: { readonly yes?: boolean }) => {
      const { contexts } = await readStored(terminal);
      if (contexts[name] !== undefined) await confirm(terminal, `Remove the context ${name} and its key?`, options);
      await removeContext(terminal, name);
    });
};
