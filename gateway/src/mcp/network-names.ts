import type { Client } from "@nts/shared/client";
import { isId, listNetworks } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { short } from "./results.rules.js";
import { Refusal } from "./tool.js";

// Networks are named by people, in every tool, and in what is planned.

type Arguments = Readonly<Record<string, unknown>>;

/** The arguments with the ids of the networks that they name. @throws Refusal if one is not clear */
export async function withNetworkIds(client: Client, given: Arguments): Promise<Arguments> {
  const { change } = given;
  const own = await withNetworkId(client, given);
  if (!isObject(change) || !isObject(change["members"])) return own;
  return { ...own, change: { ...change, members: await withNetworkId(client, change["members"]) } };
}

async function withNetworkId(client: Client, members: Arguments): Promise<Arguments> {
  const { network_id: name } = members;
  if (typeof name !== "string" || isId(name.toLowerCase())) return members;
  const { data } = await client.list(listNetworks, { query: { q: name.slice(0, 100), limit: 50 } });
  const called = data.filter((network) => folded(network.name) === folded(name.trim()));
  const [only, another] = called;
  if (only === undefined)
    throw new Refusal(`No network is called "${short(name, 60)}".`, "call overview for the networks.");
  if (another !== undefined)
    throw new Refusal(
      `Several networks are called "${short(name, 60)}".`,
      `use one of these ids: ${called
        .slice(0, 5)
        .map(({ id }) => id)
        .join(", ")}.`,
    );
  return { ...members, network_id: only.id };
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
