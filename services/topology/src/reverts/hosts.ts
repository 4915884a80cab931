import type { ClientSession } from "mongodb";
import type { Link } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Storage } from "../storage/storage.js";
import type { InventoryChange, LockedHost } from "../storage/stores/host-locks.js";
import { type Conflict, conflictOf } from "./conflict.rules.js";
import { type Ends, namedBy } from "../values/ends.rules.js";
import type { Undo } from "./undo.rules.js";

// Locks the existing hosts of a revert, and updates their inventories.

/** Changes to the inventory of an existing host. */
interface HostChange {
  readonly less: { interfaces: string[]; ports: string[] };
  readonly more: { interfaces: string[]; ports: string[] };
  services: number;
}

export function changesOfHosts(undos: readonly Undo[]): ReadonlyMap<string, HostChange> {
  const changes = new Map<string, HostChange>();
  const of = (id: string): HostChange => {
    const change = changes.get(id) ?? {
      less: { interfaces: [], ports: [] },
      more: { interfaces: [], ports: [] },
      services: 0,
    };
    changes.set(id, change);
    return change;
  };
  for (const { kind, id, before, after } of undos) {
    if (kind === "hosts") of(id);
    if (kind === "dependencies" && before !== null)
      for (const end of namedBy(before as unknown as Ends).host_id) of(end);
    if (kind === "links" && before !== null) for (const { host_id } of (before as unknown as Link).ends) of(host_id);
    if (kind !== "interfaces" && kind !== "ports" && kind !== "services") continue;
    const to = before?.host_id;
    const from = after?.host_id;
    for (const one of [to, from]) if (one !== undefined) of(one);
    if (to === from) continue;
    if (kind === "services") {
      if (to !== undefined) of(to).services += 1;
      if (from !== undefined) of(from).services -= 1;
    } else {
      if (to !== undefined) of(to).more[kind].push(id);
      if (from !== undefined) of(from).less[kind].push(id);
    }
  }
  for (const { kind, id, after } of undos) if (kind === "hosts" && after === null) changes.delete(id);
  return changes;
}

export async function lockHosts(
  { hosts }: Storage,
  tx: ClientSession,
  scope: Scope,
  changes: ReadonlyMap<string, HostChange>,
): Promise<ReadonlyMap<string, LockedHost>> {
  const first = new Map(
    [...changes].map(([id, { less, services }]): [string, InventoryChange] => [id, { remove: less, services }]),
  );
  if (first.size === 0) return new Map();
  const locked = await hosts.lockAll(tx, scope, first);
  const grown = [...changes].filter(([, { more }]) => more.interfaces.length + more.ports.length > 0);
  if (grown.length === 0) return locked;
  const again = await hosts.lockAll(tx, scope, new Map(grown.map(([id, { more }]) => [id, { add: more }])));
  return new Map([...locked, ...again]);
}

export function missingHosts(
  ids: readonly string[],
  hosts: ReadonlyMap<string, LockedHost>,
  undos: readonly Undo[],
): Conflict[] {
  const known = new Set(undos.map(({ id }) => id));
  return ids.filter((id) => !hosts.has(id) && !known.has(id)).map((id) => conflictOf("hosts", id, "deleted"));
}
