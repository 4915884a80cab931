import {
  getHostImpact,
  getServiceImpact,
  type Impact,
  IMPACT_DIRECTIONS,
  isId,
  type Reached,
} from "@nts/shared/contract";
import { waysTo } from "@nts/shared/contract/impact.rules";
import { type Command, Option } from "commander";
import type { Connection } from "../connection.js";
import { entitiesOf, idOf, withIds } from "../find.js";
import { isTable, networkOption, type OutputOptions, outputOption } from "../options.js";
import { momentOf } from "../moments.js";
import { format, table } from "../output.js";
import { resourceNamed } from "../resources.js";
import { EXIT, Problem, type Surroundings } from "../terminal.js";
import { type AddCommands, connectedFor } from "./command.js";
import { send } from "../writes.js";

// `impact` says what stops if a host or service stops, or what it needs.

interface ImpactOptions extends OutputOptions {
  readonly network?: string;
  readonly needs?: boolean;
  readonly depth?: string;
  readonly asOf?: string;
}

const MOST_LISTED = 1_000;

export const addImpact: AddCommands = (program, surroundings: Surroundings) => {
  program
    .command("impact <host|service>")
    .description("what stops if a host or service stops; a service as host/service if its name is not unique")
    .option("--needs", "what it needs instead")
    .addOption(networkOption("look for it in this network"))
    .addOption(new Option("--depth <steps>", "steps to follow, 1 to 10"))
    .option("--as-of <time>", "as it was at this time, or right after a change")
    .addOption(outputOption())
    .action((name: string, { output, network, needs = false, depth, asOf }: ImpactOptions, self: Command) =>
      connectedFor(self, surroundings, getServiceImpact, async (connection) => {
        const { operation, id } = await subjectOf(connection, name, await withIds(connection, { network_id: network }));
        const query = {
          ...{ direction: IMPACT_DIRECTIONS[needs ? 1 : 0], limit: MOST_LISTED },
          ...(depth !== undefined && { depth }),
          ...(asOf !== undefined && { as_of: momentOf(asOf, "as_of") }),
        };
        const impact = (await send(connection, operation, { params: { id }, query })).data as Impact;
        if (!isTable(output)) {
          surroundings.terminal.print(format(impact.reached, output));
          return;
        }
        if (impact.reached.length > 0) surroundings.terminal.print(table(rowsOf(impact.reached), COLUMNS));
        surroundings.terminal.say(summaryOf(name, impact));
      }),
    );
};

/** A service, or a host, of this name. @throws Problem */
async function subjectOf(connection: Connection, name: string, within: Readonly<Record<string, unknown>>) {
  const [hostName = "", ...rest] = name.split("/");
  if (rest.length > 0) {
    const host_id = await idOf(connection, resourceNamed("hosts"), hostName, within);
    return {
      operation: getServiceImpact,
      id: await idOf(connection, resourceNamed("services"), rest.join("/"), { host_id }),
    };
  }
  if (isId(name)) {
    for await (const { id } of entitiesOf(connection, resourceNamed("hosts"), { ids: [name] }))
      return { operation: getHostImpact, id };
    return { operation: getServiceImpact, id: name };
  }
  try {
    return { operation: getHostImpact, id: await idOf(connection, resourceNamed("hosts"), name, within) };
  } catch (error) {
    if (!(error instanceof Problem) || error.exitCode !== EXIT.missing) throw error;
    return { operation: getServiceImpact, id: await idOf(connection, resourceNamed("services"), name, within) };
  }
}

const COLUMNS = ["steps", "kind", "name", "host", "via", "through", "id"];

function rowsOf(reached: readonly Reached[]): Readonly<Record<string, unknown>>[] {
  const wayTo = waysTo(reached);
  return reached.map((one) => {
    const { distance: steps, kind, name, host_name, via, id } = one;
    const host = kind === "host" ? "" : host_name;
    return { steps, kind, name, host, via: via.replace("_", " "), through: wayTo(one), id };
  });
}

/** Such as "1 host and 3 services stop with nas." */
function summaryOf(name: string, { direction, counts, complete, reached }: Impact): string {
  const all = counts.hosts + counts.services + counts.processes;
  const isUp = direction === "dependencies";
  if (all === 0) return isUp ? `Nothing is known that ${name} needs.` : `Nothing is known to stop with ${name}.`;
  const some = [
    numbered(counts.hosts, "host"),
    numbered(counts.services, "service"),
    numbered(counts.processes, "process"),
  ]
    .flat()
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1");
  const said = isUp ? `${name} needs ${some}.` : `${some} ${all > 1 ? "stop" : "stops"} with ${name}.`;
  const shown = all > reached.length ? ` The nearest ${reached.length} are listed.` : "";
  return `${said}${shown}${complete ? "" : " There is more that was not followed."}`;
}

/** Such as "3 hosts"; nothing of none. */
function numbered(count: number, noun: string): string[] {
  const plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return count === 0 ? [] : [`${count} ${count === 1 ? noun : plural}`];
}
