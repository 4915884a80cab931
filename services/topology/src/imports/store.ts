import type { ClientSession } from "mongodb";
import type { Interface, Subnet } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { KnownHost } from "../hosts/store.js";
import { storedIn } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import type { SeenHost } from "./scan.js";

// What an import reads of the network that it writes. The scope is that of the one network.

/** All subnets of the network, in no order. */
export async function subnetsOf({ subnets }: Storage, scope: Scope, session?: ClientSession): Promise<Subnet[]> {
  const options = { projection: { _id: 0, wire: 1, revision: 1 }, ...(session && { session }) } as const;
  const found = await subnets.collection.find(subnets.within(scope), options).toArray();
  return found.map((document) => storedIn<Subnet>(document).entity);
}

/** Interfaces with one of the addresses of these hosts. */
export function interfacesOf(
  { interfaces }: Storage,
  scope: Scope,
  seen: readonly SeenHost[],
  session?: ClientSession,
): Promise<Interface[]> {
  const addresses = seen.flatMap((host) => host.addresses);
  const macAddresses = [...new Set(addresses.flatMap(({ mac }) => mac ?? []))];
  return interfaces.findByIdentity(scope, { macAddresses, ipAddresses: addresses.map(({ ip }) => ip) }, session);
}

/** A host with everything on it; null when it is gone. */
export async function knownHost(
  { hosts }: Storage,
  scope: Scope,
  id: string,
  session: ClientSession,
): Promise<KnownHost | null> {
  return (await hosts.findWithChildren(scope, [id], session))[0] ?? null;
}
