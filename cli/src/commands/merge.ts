import type { Command } from "commander";
import { type AnyEndpoint, listInterfaces, mergeHosts, splitHost } from "@nts/shared/contract";
import type { Connection } from "../connection.js";
import { idOf, withIds } from "../find.js";
import { format } from "../output.js";
import { resourceNamed } from "../resources.js";
import { confirm, type Surroundings } from "../terminal.js";
import { type AddCommands, connectedFor } from "./command.js";
import { send, showPlan } from "../writes.js";

// `merge` and `split`, for hosts that are one machine, or two.

const HOSTS = resourceNamed("hosts");
const INTERFACES = { ...resourceNamed("interfaces"), list: listInterfaces };

interface MergeOptions {
  readonly network?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly comment?: string;
}

interface SplitOptions extends MergeOptions {
  readonly interface: readonly string[];
  readonly name: string;
}

export const addMerge: AddCommands = (program, surroundings) => {
  withOptions(program.command("merge <host> <other-host>"))
    .description("merge another host into a host: they are one machine")
    .action((name: string, other: string, options: MergeOptions, self: Command) =>
      connectedFor(self, surroundings, mergeHosts, async (connection) => {
        const host = await hostNamed(connection, name, options);
        const body = { host_id: await hostNamed(connection, other, options) };
        const question = `Merge the host ${other} into ${name}?`;
        await afterPlan(surroundings, connection, { operation: mergeHosts, id: host, body, question, options });
      }),
    );
  withOptions(program.command("split <host>"))
    .description("split a host: it is two machines")
    .requiredOption("--interface <address...>", "interfaces of the new host")
    .requiredOption("--name <name>", "name of the new host")
    .action((name: string, options: SplitOptions, self: Command) =>
      connectedFor(self, surroundings, splitHost, async (connection) => {
        const host = await hostNamed(connection, name, options);
        const interface_ids: string[] = [];
        for (const address of options.interface)
          interface_ids.push(await idOf(connection, INTERFACES, address, { host_id: host }));
        const body = { interface_ids, name: options.name };
        const question = `Split the host ${name}?`;
        await afterPlan(surroundings, connection, { operation: splitHost, id: host, body, question, options });
      }),
    );
};

function withOptions(command: Command): Command {
  return command
    .option("-n, --network <name>", "look for hosts in this network")
    .option("--dry-run", "only show what would change")
    .option("-y, --yes", "do not ask for confirmation")
    .option("--comment <text>", "reason, stored in the change history");
}

async function hostNamed(connection: Connection, name: string, { network }: MergeOptions): Promise<string> {
  return idOf(connection, HOSTS, name, await withIds(connection, { network_id: network }));
}

interface Planned {
  readonly operation: AnyEndpoint;
  readonly id: string;
  readonly body: object;
  readonly question: string;
  readonly options: MergeOptions;
}

/** Does exactly what is shown first, and prints the resulting host. */
async function afterPlan(
  { terminal }: Surroundings,
  connection: Connection,
  { operation, id, body, question, options }: Planned,
): Promise<void> {
  const { dryRun, comment } = options;
  const input = { params: { id }, body };
  const ifMatch = await showPlan(terminal, connection, operation, input);
  if (dryRun === true) return;
  await confirm(terminal, question, options);
  const { data } = await send(connection, operation, {
    ...input,
    ifMatch,
    ...(comment !== undefined && { comment }),
  });
  terminal.print(format([data], "name", { isOne: true }));
}
