import type { ClientSession } from "mongodb";
import { REVERTED_ENTITIES } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import { BY_ID } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import { type AllChanges, idsOf } from "./changes.rules.js";
import { departuresIn, endAfter, relinked } from "./links.rules.js";
import type { VlanClaim } from "./references.rules.js";
import { endsKey } from "../values/link-ends.rules.js";

interface Carrying {
  readonly whole: AllChanges;
  readonly replacedBy: ReadonlyMap<string, string> | undefined;
}

/**
 * Adds what becomes of links when interfaces are deleted or move to other hosts, and when two hosts become one.
 *
 * @throws AppError `too_many_changes`
 */
export async function withLinks(
  { links: store }: Pick<Storage, "links">,
  tx: ClientSession,
  scope: Scope,
  { whole, replacedBy }: Carrying,
): Promise<AllChanges> {
  const departures = departuresIn(whole, replacedBy);
  const { ids, hostIds } = departures;
  if (ids.length + hostIds.length === 0) return whole;
  const conditions = [
    ...(ids.length === 0 ? [] : [{ interface_id: { $in: [...ids] } }]),
    ...(hostIds.length === 0 ? [] : [{ host_id: { $in: [...hostIds] } }]),
  ];
  const { links } = whole;
  const decided = new Set([...idsOf(links.removed), ...links.changed.map(({ before }) => before.entity.id)]);
  const found = await store.findMany(scope, { $or: conditions }, tx, { _id: 1 });
  const affected = found.filter(({ entity }) => !decided.has(entity.id));
  if (affected.length === 0) return whole;
  if (affected.length > REVERTED_ENTITIES) throw new AppError("too_many_changes", { limit: REVERTED_ENTITIES });
  const keys = affected.map(({ entity }) => endsKey(entity.ends.map((end) => endAfter(end, departures))));
  const mine = new Set([...decided, ...affected.map(({ entity }) => entity.id)]);
  const others = await store.selectIn(tx, scope, { ends: { $in: keys } }, { projection: { ends: 1 } });
  const taken = new Set(others.flatMap(({ _id, ends }) => (mine.has(_id) ? [] : String(ends))));
  const more = relinked(affected, (end) => endAfter(end, departures), { taken, now: new Date() });
  return {
    ...whole,
    links: {
      created: links.created,
      changed: [...links.changed, ...more.changed],
      removed: [...links.removed, ...more.removed],
    },
  };
}

/**
 * Checks that VLANs are in the networks of what refers to them.
 *
 * @throws AppError `network_mismatch`
 */
export async function requireVlans(
  { vlans }: Pick<Storage, "vlans">,
  tx: ClientSession,
  scope: Scope,
  claims: readonly VlanClaim[],
): Promise<void> {
  if (claims.length === 0) return;
  const ids = [...new Set(claims.map(({ target }) => target))];
  const options = { projection: { network_id: 1 }, hint: BY_ID };
  const found = await vlans.selectIn(tx, scope, { _id: { $in: ids } }, options);
  const networks = new Map(found.map(({ _id, network_id }) => [_id, network_id]));
  for (const { target, networkId, path } of claims)
    if (networks.has(target) && networks.get(target) !== networkId) throw new AppError("network_mismatch", { path });
}
