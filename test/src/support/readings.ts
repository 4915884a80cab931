/** Responses to many different reads of an organization, to compare with reads of the past. */
import { KIND_NAMES, pluralOf } from "@nts/shared/contract";
import { INTERNAL } from "@nts/shared/http/headers";
import type { World } from "./history.js";
import type { Caller } from "./topology.js";
import { untilServed } from "./until.js";

/** The response to each path: status, text and total. */
export type Readings = ReadonlyMap<string, string>;

const LISTS = [...KIND_NAMES.map(pluralOf), "bindings"];

const ORDERS = [
  "services?order_by=host&order_direction=desc&limit=7&offset=2",
  "services?group_by=host&order_by=name&limit=0",
  "services?group_by=network_id&order_by=updated_at&order_direction=desc&limit=5",
  "services?order_by=position&limit=6&offset=4",
  "services?order_by=service_definition&order_direction=desc&limit=0&offset=3",
  "services?exclude_categories=Custom&limit=3",
  "services?tag_ids=label&order_by=name&limit=4",
  "services?q=service&order_by=updated_at&limit=5",
  "services?q=OUR&limit=0&order_by=host",
  "hosts?q=10.0.0.1&limit=0",
  "hosts?q=host&order_by=name&order_direction=desc&limit=2&offset=1",
  "hosts?tag_ids=label&limit=1",
  "interfaces?order_by=ip_address&order_direction=desc&limit=4",
  "interfaces?group_by=position&order_by=ip_address&limit=0",
  "ports?order_by=number&order_direction=desc&limit=5",
  "subnets?order_by=cidr&limit=0",
  "subnets?q=10.&order_by=name&limit=2",
  "networks?q=E&limit=0",
  "tags?order_by=name&order_direction=desc&limit=2",
  "networks?order_by=updated_at&limit=1",
  "views?order_by=name&limit=2",
  "views?tag_ids=label&limit=0",
] as const;

const FORMATS = ["json", "dot", "mermaid", "graphml"];

/** Paths to read of a world: lists with many parameters, and everything that ever existed by its id. */
export function pathsOf({ known }: World, ever: ReadonlyMap<string, string>): string[] {
  const named = [known.hosts[0], known.networks[0], known.subnets[0], known.ports[0], known.interfaces[0]];
  const [host, network, subnet, port, nic] = named.map((one) => one?.id ?? "00000000-0000-4000-8000-000000000000");
  return [
    ...LISTS.map((list) => `${list}?limit=0`),
    ...LISTS.filter((list) => list !== "tags").map((list) => `${list}?limit=3&network_id=${network}`),
    ...ORDERS,
    ...["interfaces", "ports", "services"].map((list) => `${list}?limit=0&host_id=${host}`),
    `interfaces?limit=0&subnet_id=${subnet}`,
    `bindings?limit=0&port_id=${port}`,
    `bindings?limit=2&interface_id=${nic}`,
    `services?limit=0&ids=${known.services
      .map(({ id }) => id)
      .slice(0, 9)
      .join()}`,
    ...known.tags.map(({ id }) => `services?limit=2&tag_ids=${id}`),
    ...FORMATS.map((format) => `topology?format=${format}`),
    `topology?network_id=${network}`,
    ...[...ever].map(([id, list]) => `${list}/${id}`),
  ];
}

/** Reads paths concurrently. @param as a parameter added to each */
export async function readAll(caller: Caller, paths: readonly string[], as = ""): Promise<Map<string, string>> {
  const readings = new Map<string, string>();
  let next = 0;
  const reader = async (): Promise<void> => {
    for (let path = paths[next++]; path !== undefined; path = paths[next++])
      readings.set(path, await read(caller, path, as));
  };
  await Promise.all(Array.from({ length: 12 }, reader));
  return readings;
}

async function read(caller: Caller, path: string, as: string): Promise<string> {
  const url = `/api/v1/${path}${as === "" ? "" : `${path.includes("?") ? "&" : "?"}${as}`}`;
  const { status, text, headers } = await untilServed(() => caller.raw("get", url));
  const hasMore = headers[INTERNAL.listNext] === undefined ? "" : String(headers[INTERNAL.listNext]).length > 4;
  // Sightings are not part of the past.
  const entities = text.replaceAll(/,"seen":(?:null|\{[^{}]*\}),"missed_since":(?:null|"[^"]*")/g, "");
  return `${status} ${String(headers[INTERNAL.listTotal] ?? "")} ${hasMore} ${entities}`;
}
