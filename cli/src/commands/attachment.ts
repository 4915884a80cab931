import { type Attachment, getHostAttachment, type HostAttachment } from "@nts/shared/contract";
import type { Command } from "commander";
import { idOf, withIds } from "../find.js";
import { momentOf } from "../moments.js";
import { isTable, networkOption, type OutputOptions, outputOption } from "../options.js";
import { format, table } from "../output.js";
import { resourceNamed } from "../resources.js";
import type { Surroundings } from "../terminal.js";
import { send } from "../writes.js";
import { type AddCommands, connectedFor } from "./command.js";

// `attachment` says on which switch and port a host hangs.

interface AttachmentOptions extends OutputOptions {
  readonly network?: string;
  readonly asOf?: string;
}

export const addAttachment: AddCommands = (program, surroundings: Surroundings) => {
  program
    .command("attachment <host>")
    .description("on which switch and port a host hangs")
    .addOption(networkOption("look for it in this network"))
    .option("--as-of <time>", "as it was at this time, or right after a change")
    .addOption(outputOption())
    .action((name: string, { output, network, asOf }: AttachmentOptions, self: Command) =>
      connectedFor(self, surroundings, getHostAttachment, async (connection) => {
        const within = await withIds(connection, { network_id: network });
        const id = await idOf(connection, resourceNamed("hosts"), name, within);
        const query = asOf === undefined ? {} : { as_of: momentOf(asOf, "as_of") };
        const { attachments } = (await send(connection, getHostAttachment, { params: { id }, query }))
          .data as HostAttachment;
        if (!isTable(output)) surroundings.terminal.print(format(attachments, output));
        else if (attachments.length === 0) surroundings.terminal.say(`No link of ${name} leads to a switch.`);
        else surroundings.terminal.print(table(attachments.map(rowOf), COLUMNS));
      }),
    );
};

const COLUMNS = ["switch", "port", "through", "source"];

function rowOf({ switch: { name, port }, path, link_source: source }: Attachment): Readonly<Record<string, unknown>> {
  const through = path
    .slice(0, -1)
    .map((step) => step.name)
    .join(", ");
  return { switch: name, port, through, source };
}
