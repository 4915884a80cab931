import type { HostInventory } from "@nts/shared/contract";
import { putUnder } from "@nts/shared/groups";
import type { InventoryChange } from "../storage/stores/host-locks.js";
import { type AllChanges, type ChangesOf, idsOf } from "./changes.rules.js";
import { isMoved } from "./references.rules.js";

interface Child {
  readonly id: string;
  readonly host_id: string;
}

/**
 * What existing hosts gain and lose, by host: all whose children change in any way, because these are only written under the
 * lock of their host.
 */
export function inventoryChangesOf(changes: AllChanges): ReadonlyMap<string, InventoryChange> {
  const { hosts, interfaces, ports, services } = changes;
  const added = { interfaces: arrivalsOf(interfaces), ports: arrivalsOf(ports) };
  const removed = { interfaces: departuresOf(interfaces), ports: departuresOf(ports) };
  const more = arrivalsOf(services);
  const fewer = departuresOf(services);
  const present = [interfaces.changed, ports.changed, services.changed].flatMap((changed) =>
    changed.map(({ before }) => before.entity.host_id),
  );
  const touched = new Set([
    ...present,
    ...[...Object.values(added), ...Object.values(removed), more, fewer].flatMap((groups) => [...groups.keys()]),
  ]);
  for (const id of [...idsOf(hosts.created), ...idsOf(hosts.removed)]) touched.delete(id);
  return new Map(
    [...touched].map((id) => {
      const add = listsOf(id, added);
      const remove = listsOf(id, removed);
      const count = (more.get(id)?.length ?? 0) - (fewer.get(id)?.length ?? 0);
      return [id, { ...(add && { add }), ...(remove && { remove }), ...(count !== 0 && { services: count }) }];
    }),
  );
}

/** What hosts get, by host. */
function arrivalsOf({ created, changed }: ChangesOf<Child>): Map<string, string[]> {
  return groupsOf([...created, ...changed.filter(isMoved).map(({ after }) => after.entity)]);
}

/** What hosts lose, by host. */
function departuresOf({ removed, changed }: ChangesOf<Child>): Map<string, string[]> {
  return groupsOf([...removed, ...changed.filter(isMoved).map(({ before }) => before.entity)]);
}

function groupsOf(children: readonly Child[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, host_id } of children) putUnder(groups, host_id, id);
  return groups;
}

/** Undefined if nothing is listed. */
function listsOf(
  hostId: string,
  groups: Readonly<Record<keyof HostInventory, ReadonlyMap<string, string[]>>>,
): Partial<HostInventory> | undefined {
  const lists = Object.entries(groups).flatMap(([kind, byHost]) => {
    const ids = byHost.get(hostId);
    return ids === undefined ? [] : [[kind, ids] as const];
  });
  return lists.length === 0 ? undefined : (Object.fromEntries(lists) as Partial<HostInventory>);
}
