import { shareView, type CreatedShare, HIDDEN_PARTS } from "@nts/shared/contract";
import { type Command, Option } from "commander";
import { idOf, withIds } from "../find.js";
import { durationIn, momentOf } from "../moments.js";
import { format } from "../output.js";
import { type OutputOptions, outputOption } from "../options.js";
import { resourceNamed } from "../resources.js";
import { EXIT, Problem, type Surroundings } from "../terminal.js";
import { type AddCommands, connectedFor } from "./command.js";
import { send } from "../writes.js";

// `share` makes a link to a view; `get shares` lists them, and `delete shares` ends one.

interface ShareOptions extends OutputOptions {
  readonly expires: string;
  readonly hide?: readonly string[];
  readonly embed?: readonly string[];
  readonly asOf?: string;
  readonly network?: string;
}

export const addShare: AddCommands = (program, surroundings: Surroundings) => {
  program
    .command("share <view>")
    .description("share a view by a link, which is only printed here; `nts delete shares` ends it")
    .option("--expires <time>", "a duration such as 12h, 30d or 8w, a time, or never", "30d")
    .addOption(new Option("--hide <parts...>", "leave these out").choices(HIDDEN_PARTS))
    .option("--embed <origins...>", "origins whose pages may contain it, such as https://wiki.example.com")
    .option("--as-of <time>", "freeze the network at this time, or now")
    .option("-n, --network <name>", "the network that it shows, of a view of the whole organization")
    .addOption(outputOption("name"))
    .action((name: string, options: ShareOptions, self: Command) =>
      connectedFor(self, surroundings, shareView, async (connection) => {
        const { output, hide = [], embed = [], asOf, network } = options;
        const { network_id } = await withIds(connection, { network_id: network });
        const view = await idOf(
          connection,
          resourceNamed("views"),
          name,
          network_id === undefined ? {} : { network_id },
        );
        const body = {
          ...{ expires_at: endOf(options.expires), hide, allow_embedding: embed },
          as_of: asOf === undefined ? null : timeOf(asOf, "as-of"),
          ...(network_id !== undefined && { network_id }),
        };
        const made = (await send(connection, shareView, { params: { id: view }, body })).data as CreatedShare;
        surroundings.terminal.print(output === "name" ? made.link : format([made.share], output, { isOne: true }));
        if (output !== "name") surroundings.terminal.say(`The link, which is not shown again: ${made.link}`);
      }),
    );
};

function endOf(text: string): string | null {
  if (text === "never") return null;
  const duration = durationIn(text);
  return duration === null ? timeOf(text, "expires") : new Date(Date.now() + duration).toISOString();
}

function timeOf(text: string, option: string): string {
  const ms = Date.parse(momentOf(text, option));
  if (Number.isNaN(ms)) throw new Problem(EXIT.usage, `--${option} must be a time such as 2026-01-31T09:30Z.`);
  return new Date(ms).toISOString();
}
