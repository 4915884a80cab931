import type { ClientSession, Timestamp } from "mongodb";
import {
  bulkDeleteHosts,
  Cidr,
  createHost,
  deleteHost,
  getHost,
  knowHosts,
  listHosts,
  mergeHosts,
  patchHost,
  splitHost,
  updateHost,
  type HostRecord,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond, type HandlerResponse } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import type { Scope } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { commitNewHost } from "../commit/create.js";
import { withNextAddresses } from "../commit/next-addresses.js";
import { commitMerge } from "../commit/merge.js";
import { reportRemovedBindingsOfHost } from "../commit/removed-bindings.js";
import { commitSplit } from "../commit/split.js";
import { commitHostUpdate, commitKnown } from "../commit/update.js";
import type { Updating } from "../commit/writer.js";
import { type Block, parseBlock } from "../values/addresses.js";
import { HOST_ADDRESSES_INDEX } from "../storage/indexes.js";
import { withinBlock } from "../storage/stores/host-search.js";
import { withSighting, type Stored } from "../storage/entities.js";
import { commonFilter, sightingPlan } from "../storage/lists.js";
import { hostAt } from "../values/ends.rules.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { noteImpact } from "./impact.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.rules.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { deleteHosts } from "../deletions/hosts.js";
import { addressesOf, hostResponse, newHostOf } from "../hosts/new-host.js";
import { hostRevision } from "../storage/stores/host-revision.rules.js";
import { hostKind } from "../kinds/host.js";

export function mountHosts(router: Router, storage: Storage, past: Past): void {
  const { hosts: entities, sockets } = storage;
  mountList(
    router,
    listHosts,
    { entities, past, atSocket: sockets.hostsAt, withMac: sockets.hostsWithMac },
    plan(storage),
  );
  mount(router, createHost, create(storage));
  mountGet(router, getHost, { entities: storage.hosts, past }, (scope, id) => respondWithHost(storage, scope, id));
  mountUpdate(router, { put: updateHost, patch: patchHost }, update(storage));
  mount(router, mergeHosts, merge(storage));
  mount(router, splitHost, split(storage));
  mount(router, knowHosts, async ({ work, scope, body: { ids } }) => {
    const known_count = await commitKnown(storage, { work, scope, ids });
    return respond.data({ known_count, requested_count: ids.length });
  });
  mountRemoval(router, { one: deleteHost, several: bulkDeleteHosts }, async (removing) => {
    await noteImpact(storage, removing, hostAt);
    await deleteHosts(storage, removing);
  });
}

function plan({ totals, hosts }: Storage): ListPlanOf<typeof listHosts> {
  return (query, scope) => {
    const sighting = sightingPlan(query);
    const block = blockIn(query.q?.trim() ?? "");
    const common = commonFilter(block === null ? query : { ...query, q: undefined }, scope);
    return {
      filter: { ...common, ...sighting.filter, ...(block !== null && withinBlock(block)) },
      selective: block === null ? sighting.selective : HOST_ADDRESSES_INDEX,
      keyOf: { natural_name: "name_key", address: "first_address" },
      total: () => totals.total(scope, "hosts"),
      join: hosts.withChildren,
    };
  };
}

/** A block in CIDR notation; null for other text. @throws AppError `validation_failed` if host bits are set */
function blockIn(text: string): Block | null {
  return Cidr.safeParse(text).success ? parseBlock(text, "q") : null;
}

function create(storage: Storage): UserHandler<typeof createHost> {
  return async ({ work, scope, body }) => {
    const requested = newHostOf(body, { now: new Date().toISOString(), newId, source: "Manual" });
    const placing = { work, scope, networkId: body.network_id, requested: addressesOf(requested.interfaces) };
    const made = await withNextAddresses(storage, placing, (place) =>
      commitNewHost(storage, { work, scope, id: requested.host.id }, async (tx, attempt) => {
        const placed = await place(tx, attempt);
        reportRemovedBindingsOfHost(tx, body);
        const interfaces = requested.interfaces.map((one, n) => ({ ...one, ip_address: placed[n]?.ip_address ?? "" }));
        return { ...requested, interfaces };
      }),
    );
    // Made of its kinds' members: there is nothing else in it, as in what is read.
    return respond.json(JSON.stringify(hostResponse(made)), { revision: hostRevision(1, made.services.length) });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateHost> {
  const { hosts } = storage;
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (host: HostRecord): HostRecord => {
      const body = requestedState(host);
      if (body.network_id !== host.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      return hostKind.apply(host, body);
    };
    const read = await hosts.get(scope, id);
    if (
      requestedState(read.entity).network_id === read.entity.network_id &&
      revised(read, decide(read.entity), new Date()) === null
    ) {
      const given = await respondWithHost(storage, scope, id);
      requireRevision(precondition, given.revision ?? "");
      return given;
    }
    const updating = { work, scope, id, precondition };
    const written = await commitHostUpdate(storage, updating, decide, (tx) => responseIn(storage, tx, updating));
    // As committed, without concurrent later writes.
    return written?.inside ?? respondWithHost(storage, scope, id, written?.tx.operationTime);
  };
}

function merge(storage: Storage): UserHandler<typeof mergeHosts> {
  return async ({ work, scope, params: { id }, body, precondition }) => {
    const merging = { work, scope, id, otherId: body.host_id, precondition };
    const written = await commitMerge(storage, merging, (tx) => responseIn(storage, tx, { work, scope, id }));
    return written.inside ?? respondWithHost(storage, scope, id, written.tx.operationTime);
  };
}

function split(storage: Storage): UserHandler<typeof splitHost> {
  return async ({ work, scope, params: { id }, body, precondition }) => {
    const splitting = { work, scope, id, interfaceIds: body.interface_ids, name: body.name, precondition };
    const written = await commitSplit(storage, splitting, async (tx, newId) => ({
      ...(await responseIn(storage, tx, { work, scope, id: newId })),
      newId,
    }));
    return written.inside ?? respondWithHost(storage, scope, written.newId, written.tx.operationTime);
  };
}

/** What a transaction responds with if it does not simply commit; otherwise null, and the host is read as committed. */
async function responseIn(
  storage: Storage,
  tx: ClientSession,
  { work, scope, id }: Pick<Updating, "work" | "scope" | "id">,
): Promise<{ readonly tx: ClientSession; readonly inside: HandlerResponse<never> | null }> {
  return { tx, inside: work.unit === undefined ? null : await respondWithin(storage, tx, scope, id) };
}

/** The response of a transaction that has not ended. */
async function respondWithin(
  { hosts }: Storage,
  tx: ClientSession,
  scope: Scope,
  id: string,
): Promise<HandlerResponse<never>> {
  const [found] = await hosts.findWithChildren(scope, [id], tx);
  if (found === undefined) throw new AppError("not_found", { entity: hosts.name });
  const { host, ...children } = found;
  const entities = Object.entries(children).map(
    ([kind, list]) => [kind, list.map((one: Stored<unknown>) => withSighting(one))] as const,
  );
  const ofServices = found.services.reduce((sum, { revision }) => sum + revision, 0);
  const json = JSON.stringify({ ...withSighting(host), ...Object.fromEntries(entities) });
  return respond.json(json, { revision: hostRevision(host.revision, ofServices) });
}

/** @param at the snapshot to return */
async function respondWithHost(
  storage: Storage,
  scope: Scope,
  id: string,
  at?: Timestamp,
): Promise<HandlerResponse<never>> {
  const { hosts } = storage;
  const found = await hosts.readWithChildren(scope, id, at);
  if (found === null) throw new AppError("not_found", { entity: hosts.name });
  const { text, revision } = found;
  return Buffer.isBuffer(text) ? respond.json(text, { revision }) : respond.jsonPieces(text, { revision });
}
