import type { Interface, Port } from "@nts/shared/contract";
import type { Socket } from "@nts/shared/contract/sockets.rules";
import { validationFailed } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { createShares } from "@nts/shared/scheduling/shares";
import { chunksOf } from "@nts/shared/groups";
import { parseAddress } from "../../values/addresses.js";
import type { Entities, EntityDocument } from "../entities.js";
import { BINDING_INDEXES, HOST_PORTS_INDEX, type IndexKey, MAC_INDEX, orderIndex } from "../indexes.js";
import type { BindingStore } from "./bindings.js";

// Finds hosts and services by address and port: from the port, or the address if there is one, to the bindings. Only
// matches are read, by existing indexes.

/** Maximum ports, interfaces or bindings per search; beyond it, a network or address is required. */
export const MOST_AT_SOCKET = 1_000;
/** Ids per query. */
const BATCH = 1_000;

export interface Sockets {
  /** Ids of hosts with both address and port. @throws AppError `validation_failed` if there are too many */
  hostsAt(scope: Scope, socket: Socket): Promise<string[]>;
  /** Ids of services bound to the port at the address, or on all interfaces of its host. @throws the same */
  servicesAt(scope: Scope, socket: Socket): Promise<string[]>;
  /** Ids of hosts with a MAC address, in canonical form. @throws the same */
  hostsWithMac(scope: Scope, mac: string): Promise<string[]>;
}

interface Stores {
  readonly interfaces: Entities<Interface>;
  readonly ports: Entities<Port>;
  readonly bindings: BindingStore;
}

export function createSockets({ interfaces, ports, bindings }: Stores): Sockets {
  /** The memory of a search is limited to one per organization. */
  const shares = createShares({ operations: 1 });

  async function interfacesAt(scope: Scope, address: string): Promise<EntityDocument[]> {
    const find = { filter: { ip_key: parseAddress(address).key }, hint: byField(scope, "ip_key"), fields: ["host_id"] };
    return found(interfaces, scope, find, 0);
  }

  async function portsAt(
    scope: Scope,
    { port, protocol }: Socket,
    hostIds: string[] | null,
  ): Promise<EntityDocument[]> {
    const filter = { number: port, ...(protocol !== null && { protocol }) };
    const fields = ["host_id"];
    if (hostIds === null) return found(ports, scope, { filter, hint: byField(scope, "number"), fields }, 0);
    return foundFor(ports, scope, { filter, hint: HOST_PORTS_INDEX, fields }, { host_id: hostIds });
  }

  async function lookUp(scope: Scope, socket: Socket): Promise<{ at: EntityDocument[] | null; on: EntityDocument[] }> {
    const at = socket.address === null ? null : await interfacesAt(scope, socket.address);
    const hostIds = at && [...new Set(at.map(hostOf))];
    return { at, on: await portsAt(scope, socket, hostIds) };
  }

  async function servicesAt(scope: Scope, socket: Socket): Promise<string[]> {
    const { at, on } = await lookUp(scope, socket);
    const places = at && new Set<unknown>([null, ...at.map(({ _id }) => _id)]);
    const find = { filter: {}, hint: BINDING_INDEXES.port_id, fields: ["service_id", "interface_id"] };
    const bound = await foundFor(bindings, scope, find, { port_id: on.map(({ _id }) => _id) });
    const there = bound.filter((binding) => places?.has(binding["interface_id"]) ?? true);
    return [...new Set(there.map((binding) => String(binding["service_id"])))];
  }

  async function hostsWithMac(scope: Scope, mac: string): Promise<string[]> {
    const find = { filter: { mac_address: mac }, hint: MAC_INDEX, fields: ["host_id"] };
    return [...new Set((await found(interfaces, scope, find, 0)).map(hostOf))];
  }

  return {
    hostsWithMac: (scope, mac) => shares.use(scope.organizationId, () => hostsWithMac(scope, mac)),
    hostsAt: (scope, socket) =>
      shares.use(scope.organizationId, async () => [...new Set((await lookUp(scope, socket)).on.map(hostOf))]),
    servicesAt: (scope, socket) => shares.use(scope.organizationId, () => servicesAt(scope, socket)),
  };
}

const hostOf = (document: EntityDocument): string => String(document["host_id"]);

function byField(scope: Scope, field: string): IndexKey {
  return orderIndex(field, scope.networks !== "all");
}

interface Find {
  readonly filter: object;
  readonly hint: IndexKey;
  readonly fields: readonly string[];
}

/** @param before number of earlier matches */
async function found(
  entities: Pick<Entities<Interface>, "select">,
  scope: Scope,
  { filter, hint, fields }: Find,
  before: number,
): Promise<EntityDocument[]> {
  const projection = Object.fromEntries(["_id", ...fields].map((field) => [field, 1]));
  const rows = await entities.select(scope, filter, { projection, hint, limit: MOST_AT_SOCKET - before + 1 });
  if (before + rows.length > MOST_AT_SOCKET) throw tooMany();
  return rows;
}

/** The same by parent ids, in batches. */
async function foundFor(
  entities: Pick<Entities<Interface>, "select">,
  scope: Scope,
  find: Find,
  named: Readonly<Record<string, readonly string[]>>,
): Promise<EntityDocument[]> {
  const [[field, ids] = ["_id", []]] = Object.entries(named);
  const all: EntityDocument[] = [];
  for (const some of chunksOf(ids, BATCH)) {
    const filter = { ...find.filter, [field]: { $in: some } };
    all.push(...(await found(entities, scope, { ...find, filter }, all.length)));
  }
  return all;
}

function tooMany(): Error {
  const most = MOST_AT_SOCKET.toLocaleString("en");
  return validationFailed({ path: "q", message: `matches more than ${most}; specify a network or an address` });
}
