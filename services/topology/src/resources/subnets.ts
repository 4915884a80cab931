import {
  bulkDeleteSubnets,
  createSubnet,
  deleteSubnet,
  getSubnet,
  getSubnetUtilization,
  listSubnets,
  patchSubnet,
  updateSubnet,
  type Subnet,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { keyAt, reservedIn, sizesOf, spaceOf, textAt, within } from "../values/address-space.js";
import { parseBlock } from "../values/addresses.js";
import { newId } from "@nts/shared/ids";
import { requireReferences, networkClaim, tagClaims } from "../references/claims.js";
import { commonFilter } from "../storage/lists.js";
import type { Removed } from "../deletions/removed.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { requireRevision } from "@nts/shared/revision";
import { afterCommit } from "@nts/shared/work";
import { revised } from "../storage/revisions.rules.js";
import type { Past } from "../past/past.js";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { updateSingle } from "./update-single.js";
import { insertInNetwork } from "../references/insert-in-network.js";
import { replaceSubnet } from "../references/replace-subnet.js";
import { subnetKind } from "../kinds/subnet.js";

export function mountSubnets(router: Router, storage: Storage, past: Past): void {
  mountList(router, listSubnets, { entities: storage.subnets, past }, plan(storage));
  mount(router, createSubnet, create(storage));
  mountGet(router, getSubnet, { entities: storage.subnets, past });
  mount(router, getSubnetUtilization, utilization(storage));
  mountUpdate(router, { put: updateSubnet, patch: patchSubnet }, update(storage));
  mountRemoval(router, { one: deleteSubnet, several: bulkDeleteSubnets }, (removed) => remove(storage, removed));
}

function plan({ totals }: Storage): ListPlanOf<typeof listSubnets> {
  return (query, scope) => ({
    filter: commonFilter(query, scope),
    keyOf: { cidr: "cidr_key" },
    total: () => totals.total(scope, "subnets"),
  });
}

function create(storage: Storage): UserHandler<typeof createSubnet> {
  const { transaction } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope);
    const now = new Date().toISOString();
    const subnet = subnetKind.make(body, {
      id: newId(),
      created_at: now,
      updated_at: now,
      network_id: body.network_id,
      cidr: parseBlock(body.cidr, "cidr").text,
      source: { type: "Manual" },
      reserved: reservedIn(body.cidr, body.reserved),
    });
    await transaction(work, [subnet.id], async (tx) => {
      await insertInNetwork(storage, tx, scope, { name: "Subnet", networkId: subnet.network_id, inserted: [subnet] });
    });
    return respond.data(subnet, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateSubnet> {
  const { guards, subnets } = storage;
  return async ({ work, scope, params: { id }, asked, precondition }) => {
    const next = (current: Stored<Subnet>): Stored<Subnet> | null => {
      const { entity } = current;
      requireRevision(precondition, current.revision);
      const body = asked(entity);
      const block = parseBlock(body.cidr, "cidr");
      if (body.network_id !== entity.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      const reserved = reservedIn(block.text, body.reserved ?? entity.reserved);
      return revised(current, { ...subnetKind.apply(entity, body), cidr: block.text, reserved }, new Date());
    };
    const updated = await updateSingle(storage, subnets, { work, scope, id, next }, async (tx, change) => {
      const { current, next } = change;
      await requireReferences(guards, tx, scope, tagClaims(next.entity.tags, current.entity.tags));
      await replaceSubnet(storage, tx, scope, change);
    });
    return respond.data(updated.entity, { revision: updated.revision });
  };
}

function utilization({ addresses, subnets }: Storage): UserHandler<typeof getSubnetUtilization> {
  return async ({ scope, params }) => {
    const { entity } = await subnets.get(scope, params.id);
    const space = spaceOf(entity);
    const sizes = sizesOf(space);
    const usedIn = ({ first, last }: { first: bigint; last: bigint }): Promise<number> =>
      addresses.countUsed(scope, entity.id, { from: keyAt(space, first), to: keyAt(space, last) });
    const used = BigInt(await usedIn(space));
    let reserved = sizes.reserved;
    for (const span of space.reserved) reserved -= BigInt(await usedIn(within(span, space)));
    const [next] = await addresses.lowest(scope, { ...entity, space }, { count: 1, others: new Set() });
    const amounts = Object.entries({ size: sizes.size, used, reserved, free: sizes.size - used - reserved });
    const text = next === undefined ? "null" : JSON.stringify(textAt(space, next));
    // Built by hand: JSON integers have any size, JavaScript's do not.
    return respond.json(`{${amounts.map(([name, amount]) => `"${name}":${amount}`).join(",")},"next":${text}}`);
  };
}

/** Deletes unused subnets atomically. */
async function remove(storage: Storage, { work, scope, ids, precondition }: Removed): Promise<void> {
  const { guards, subnets, interfaces, transaction } = storage;
  await transaction(work, [...ids].sort(), async (tx) => {
    const found = await subnets.findMany(scope, { _id: { $in: ids } }, tx);
    if (found.length !== ids.length) throw new AppError("not_found", { entity: subnets.name });
    for (const { revision } of found) requireRevision(precondition, revision);
    await guards.remove(tx, scope, ids);
    if (await interfaces.useAny(tx, scope, ids)) throw new AppError("in_use", { entity: subnets.name });
    await guards.reference(
      tx,
      scope,
      found.map(({ entity }) => networkClaim(entity.network_id, { subnets: -1 })),
    );
    await subnets.remove(tx, scope, { _id: { $in: ids } });
  });
  await afterCommit(work, () => storage.addresses.forget(scope, ids));
}
