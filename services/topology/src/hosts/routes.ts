import type { ClientSession, Timestamp } from "mongodb";
import { bulkDeleteHosts, createHost, deleteHost, getHost, listHosts, updateHost } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { answer, type Answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { newId } from "@nts/shared/ids";
import { refusingDuplicates } from "../storage/duplicates.js";
import { holdClaims, tagClaims } from "../storage/claims.js";
import { addedUp, type Counts } from "../storage/guards.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { mountRemoval, type Removed } from "../resource.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { insertHost } from "./insert.js";
import { answeredHost, newHostOf } from "./new-host.js";
import { hostRevision } from "./revision.js";
import type { TakenHost } from "./store.js";

export function mountHosts(router: Router, storage: Storage): void {
  const { guards, hosts, services, transaction } = storage;

  mount(router, listHosts, ({ work, scope: whole, query }) => {
    const scope = narrowedTo(whole, query.network_id);
    const total = (): Promise<number> => guards.total(scope, "hosts");
    return answerList(hosts, query, { work, scope, filter: commonFilter(query), total, join: hosts.withChildren });
  });

  mount(router, createHost, async ({ work, scope, body }) => {
    await storage.quota.require(scope);
    const made = newHostOf(body, { now: new Date().toISOString(), newId, source: "Manual" });
    await refusingDuplicates(() =>
      transaction(work, [made.host.id], (session) => insertHost(storage, session, scope, made)),
    );
    return answer.data(answeredHost(made), { revision: hostRevision(1, made.services.length) });
  });

  mount(router, getHost, ({ scope, params }) => answerHost(scope, params.id));

  mount(router, updateHost, async ({ work, scope, params: { id }, body, ifMatch }) => {
    let written: ClientSession | undefined;
    await transaction(work, [id], async (session) => {
      written = session;
      const current = await hosts.get(scope, id, session);
      const { entity } = current;
      await requireHostRevision(session, scope, current, ifMatch);
      if (body.network_id !== entity.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      const tags = body.tags ?? entity.tags;
      const changes = {
        name: body.name,
        hostname: body.hostname === undefined ? entity.hostname : body.hostname,
        description: body.description === undefined ? entity.description : body.description,
        hidden: body.hidden ?? entity.hidden,
        virtualization: body.virtualization === undefined ? entity.virtualization : body.virtualization,
        tags,
      };
      const next = revised(current, { ...entity, ...changes }, new Date());
      if (next === null) throw new Discard(null);
      if (ifMatch !== null) await services.hold(session, scope, id);
      await holdClaims(guards, session, scope, tagClaims(tags, entity.tags));
      await hosts.replace(session, scope, [next]);
      if (body.name !== entity.name) await services.renameHost(session, scope, id, body.name);
      return null;
    });
    // As it was at the commit: what others write a moment later does not belong in the answer.
    return answerHost(scope, id, written?.operationTime);
  });

  mountRemoval(router, { one: deleteHost, several: bulkDeleteHosts }, remove);

  /** Removes hosts with everything on them: all or none. */
  async function remove({ work, scope, ids, ifMatch }: Removed): Promise<void> {
    await transaction(work, ids, async (session) => {
      const taken = await hosts.take(session, scope, ids);
      if (taken.length !== ids.length) throw new AppError("not_found", { entity: hosts.name });
      for (const { id, revision } of taken)
        await requireHostRevision(session, scope, { entity: { id }, revision }, ifMatch);
      const onHosts = { host_id: { $in: [...ids] } };
      const gone = await goneWith(session, scope, taken);
      await guards.hold(session, scope, [...gone].map(([target, counts]) => ({ target, kind: "network", counts }))); // prettier-ignore
      for (const kind of ["bindings", "services", "ports", "interfaces"] as const)
        await storage[kind].remove(session, scope, onHosts);
    });
  }

  /** @throws AppError `precondition_failed` */
  async function requireHostRevision(
    session: ClientSession,
    scope: Scope,
    { entity: { id }, revision }: { entity: { readonly id: string }; revision: number },
    ifMatch: readonly string[] | null,
  ): Promise<void> {
    if (ifMatch !== null)
      requireRevision(ifMatch, hostRevision(revision, await services.revisionsOn(session, scope, id)));
  }

  /** What the networks of deleted hosts have less. */
  async function goneWith(
    session: ClientSession,
    scope: Scope,
    taken: readonly TakenHost[],
  ): Promise<ReadonlyMap<string, Counts>> {
    const gone = new Map<string, Counts>();
    const count = (networkId: string, counts: Counts): void => void gone.set(networkId, addedUp(gone.get(networkId), counts)); // prettier-ignore
    for (const { network_id, inventory } of taken) {
      const { interfaces, ports, services } = inventory;
      count(network_id, { hosts: -1, interfaces: -interfaces.length, ports: -ports.length, services: -services });
    }
    const bound = await storage.bindings.countByNetwork(session, scope, taken.map(({ id }) => id)); // prettier-ignore
    for (const [networkId, bindings] of bound) count(networkId, { bindings: -bindings });
    return gone;
  }

  /** @param at the moment of which it is answered */
  async function answerHost(scope: Scope, id: string, at?: Timestamp): Promise<Answer<never>> {
    const found = await hosts.readWithChildren(scope, id, at);
    if (found === null) throw new AppError("not_found", { entity: hosts.name });
    const { text, revision } = found;
    return Buffer.isBuffer(text) ? answer.json(text, { revision }) : answer.jsonPieces(text, { revision });
  }
}
