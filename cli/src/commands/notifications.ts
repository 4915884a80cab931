import { getNotifications, NEWS_EVENTS, type NewsEvent, updateNotifications } from "@nts/shared/contract";
import { type Command, Option } from "commander";
import type { Connection } from "../connection.js";
import { idOf } from "../find.js";
import { type OutputOptions, outputOption } from "../options.js";
import { format } from "../output.js";
import { resourceNamed } from "../resources.js";
import { EXIT, Problem } from "../terminal.js";
import { type AddCommands, connectedFor } from "./command.js";

// What you are told by mail.

interface SetOptions extends OutputOptions {
  readonly events?: readonly (NewsEvent | "none")[];
  readonly network?: readonly string[];
  readonly allNetworks?: boolean;
  readonly onlyUnknown?: boolean;
}

export const addNotifications: AddCommands = (program, surroundings) => {
  const { terminal } = surroundings;
  const notifications = program.command("notifications").description("what you are told by mail: show, set");
  notifications
    .command("show", { isDefault: true })
    .description("show it")
    .addOption(outputOption("yaml"))
    .action(({ output }: OutputOptions, self: Command) =>
      connectedFor(self, surroundings, getNotifications, async ({ client }) => {
        terminal.print(format([await client.call(getNotifications, {})], output, { isOne: true }));
      }),
    );
  notifications
    .command("set")
    .description("change it; what you do not say remains")
    .addOption(new Option("--events <events...>", "tell me about these only").choices([...NEWS_EVENTS, "none"]))
    .option("-n, --network <names...>", "only of these networks")
    .option("--all-networks", "of all networks")
    .option("--only-unknown", "only of hosts that nobody knows yet")
    .option("--no-only-unknown", "of all hosts")
    .addOption(outputOption("yaml"))
    .action((options: SetOptions, self: Command) =>
      connectedFor(self, surroundings, updateNotifications, async (connection) => {
        const body = await changedBy(connection, options);
        const saved = await connection.client.call(updateNotifications, { body });
        terminal.print(format([saved], options.output, { isOne: true }));
      }),
    );
};

async function changedBy(connection: Connection, { events, network, allNetworks, onlyUnknown }: SetOptions) {
  if (network !== undefined && allNetworks === true)
    throw new Problem(EXIT.usage, "Say --network or --all-networks, not both.");
  const current = await connection.client.call(getNotifications, {});
  const network_ids: string[] = [];
  for (const name of network ?? []) network_ids.push(await idOf(connection, resourceNamed("networks"), name));
  return {
    events: events?.filter((event) => event !== "none") ?? current.events,
    network_ids: allNetworks === true ? null : network === undefined ? current.network_ids : network_ids,
    only_unknown: onlyUnknown ?? current.only_unknown,
  };
}
