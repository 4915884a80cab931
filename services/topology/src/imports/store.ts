import type { ClientSession } from "mongodb";
import type { Subnet } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Inventory } from "../storage/stores/host-locks.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { BY_ID, orderIndex } from "../storage/indexes.js";
import { STORED } from "../storage/entity-reader.js";
import type { Storage } from "../storage/storage.js";
import { type BareHost, isUntouched } from "./bare.rules.js";

// Reads of the network being imported. The scope is limited to it.

/** All subnets of the network, unordered. */
export async function subnetsOf({ subnets }: Storage, scope: Scope): Promise<Subnet[]> {
  const found = await subnets.select(scope, {}, { projection: STORED });
  return found.map((document) => subnets.storedIn(document, scope).entity);
}

/** A host with its children; null if deleted. */
export async function knownHost(
  { hosts }: Storage,
  scope: Scope,
  id: string,
  tx: ClientSession,
): Promise<KnownHost | null> {
  return (await hosts.findWithChildren(scope, [id], tx))[0] ?? null;
}

/** Ids of hosts with a hostname; at most two, as one more than unique is enough. */
export async function hostsNamed(
  { hosts }: Storage,
  scope: Scope,
  hostname: string,
  tx?: ClientSession,
): Promise<string[]> {
  const options = { projection: { _id: 1 }, hint: orderIndex("hostname", true), limit: 2 } as const;
  const found =
    tx === undefined
      ? await hosts.select(scope, { hostname }, options)
      : await hosts.selectIn(tx, scope, { hostname }, options);
  return found.map(({ _id }) => _id);
}

/** The bare ones among some hosts. */
export async function bareHosts(
  { hosts }: Pick<Storage, "hosts">,
  scope: Scope,
  ids: readonly string[],
  tx?: ClientSession,
): Promise<BareHost[]> {
  if (ids.length === 0) return [];
  const nothing = { "inventory.ports": { $size: 0 }, "inventory.services": 0 };
  const filter = { _id: { $in: [...ids] }, hostname: null, ...nothing };
  const options = { projection: { ...STORED, inventory: 1 }, hint: BY_ID } as const;
  const found =
    tx === undefined ? await hosts.select(scope, filter, options) : await hosts.selectIn(tx, scope, filter, options);
  return found.flatMap((document) => {
    const { entity } = hosts.storedIn(document, scope);
    const { interfaces } = document["inventory"] as Inventory;
    return isUntouched(entity) ? [{ id: entity.id, interfaces: interfaces.length }] : [];
  });
}

/** Number of children of hosts, by id. */
export async function sizesOf({ hosts }: Storage, scope: Scope, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const found = await hosts.select(scope, { _id: { $in: [...ids] } }, { projection: { inventory: 1 } });
  const sizeOf = ({ interfaces, ports, services }: Inventory): number => interfaces.length + ports.length + services;
  return new Map(found.map(({ _id, inventory }) => [_id, sizeOf(inventory as Inventory)]));
}

/** Names of hosts by id. */
export async function namesOf({ hosts }: Storage, scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await hosts.select(scope, { _id: { $in: [...new Set(ids)] } }, { projection: { name: 1 } });
  return new Map(found.map(({ _id, name }) => [_id, String(name)]));
}
