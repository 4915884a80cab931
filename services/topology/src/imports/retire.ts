import type { ClientSession } from "mongodb";
import type { Interface } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import { AppError } from "@nts/shared/errors";
import { networkClaim } from "../commit/references.rules.js";
import { withConsequences } from "../commit/remove.js";
import { store } from "../commit/store.js";
import type { Storage } from "../storage/storage.js";
import { bareHosts } from "./store.js";
import type { Target } from "./apply.js";

/**
 * Deletes interfaces whose addresses moved to another host, with their bindings; already deleted ones are skipped.
 * Their hosts stay recognizable by MAC address.
 *
 * @returns names of their hosts, by id
 */
export async function retire(
  storage: Storage,
  tx: ClientSession,
  { scope }: Target,
  superseded: readonly Interface[],
): Promise<Map<string, string>> {
  const { hosts } = storage;
  if (superseded.length === 0) return new Map();
  const byHost = new Map<string, string[]>();
  for (const { id, host_id } of superseded) putUnder(byHost, host_id, id);
  const changes = new Map([...byHost].map(([hostId, ids]) => [hostId, { remove: { interfaces: ids } }]));
  const locked = await hosts.lockAll(tx, scope, changes);
  if (locked.size !== changes.size) throw new AppError("not_found", { entity: hosts.name });
  const removed = await withConsequences(storage, tx, scope, { interfaces: { removed: superseded } });
  await store(storage, tx, scope, { changes: removed, hosts: locked });
  for (const { host_id, mac_address } of superseded)
    if (mac_address !== null) await hosts.macLost(tx, scope, host_id, mac_address);
  return new Map([...locked.values()].map(({ id, name }) => [id, name]));
}

/**
 * Deletes a bare host that turned out to be another one.
 *
 * @throws AppError `write_conflict` if it has been edited since
 */
export async function join(
  storage: Storage,
  tx: ClientSession,
  { scope, networkId }: Target,
  hostId: string,
): Promise<void> {
  const { guards, hosts } = storage;
  const [taken] = await hosts.take(tx, scope, [hostId]);
  const [bare] = await bareHosts(storage, scope, [hostId], tx);
  if (taken === undefined || bare === undefined || bare.interfaces > 0) throw new AppError("write_conflict");
  await hosts.remove(tx, scope, { _id: hostId });
  await guards.reference(tx, scope, [networkClaim(networkId, { hosts: -1 })]);
}
