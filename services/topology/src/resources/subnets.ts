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
import { amountsOf, membersOf } from "../stats/utilization.js";
import { reservedIn, spaceOf, textAt } from "../values/address-space.js";
import { parseBlock } from "../values/addresses.js";
import { newId } from "@nts/shared/ids";
import { commitNew } from "../commit/create.js";
import { commitSubnetRemoval } from "../commit/remove.js";
import { commitUpdate } from "../commit/update.js";
import { commonFilter } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { subnetKind } from "../kinds/subnet.js";

export function mountSubnets(router: Router, storage: Storage, past: Past): void {
  mountList(router, listSubnets, { entities: storage.subnets, past }, plan(storage));
  mount(router, createSubnet, create(storage));
  mountGet(router, getSubnet, { entities: storage.subnets, past });
  mount(router, getSubnetUtilization, utilization(storage));
  mountUpdate(router, { put: updateSubnet, patch: patchSubnet }, update(storage));
  mountRemoval(router, { one: deleteSubnet, several: bulkDeleteSubnets }, (removing) =>
    commitSubnetRemoval(storage, removing),
  );
}

function plan({ totals }: Storage): ListPlanOf<typeof listSubnets> {
  return (query, scope) => ({
    filter: { ...commonFilter(query, scope), ...(query.vlan_id !== undefined && { vlan_id: query.vlan_id }) },
    keyOf: { cidr: "cidr_key" },
    total: () => totals.total(scope, "subnets"),
  });
}

function create(storage: Storage): UserHandler<typeof createSubnet> {
  return async ({ work, scope, body }) => {
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
    await commitNew(storage, { work, scope }, { subnets: { created: [subnet] } });
    return respond.data(subnet, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateSubnet> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (subnet: Subnet): Subnet => {
      const body = requestedState(subnet);
      const block = parseBlock(body.cidr, "cidr");
      if (body.network_id !== subnet.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      const reserved = reservedIn(block.text, body.reserved ?? subnet.reserved);
      return { ...subnetKind.apply(subnet, body), cidr: block.text, reserved };
    };
    const { entity, revision } = await commitUpdate(storage, "Subnet", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}

function utilization({ addresses, subnets }: Storage): UserHandler<typeof getSubnetUtilization> {
  return async ({ scope, params }) => {
    const { entity } = await subnets.get(scope, params.id);
    const space = spaceOf(entity);
    const amounts = await amountsOf({ addresses }, scope, entity);
    const [next] = await addresses.lowest(scope, { ...entity, space }, { count: 1, others: new Set() });
    const text = next === undefined ? "null" : JSON.stringify(textAt(space, next));
    return respond.json(`{${membersOf(amounts)},"next":${text}}`);
  };
}
