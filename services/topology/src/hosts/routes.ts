import type { ClientSession } from "mongodb";
import { bulkDeleteHosts, createHost, deleteHost, getHost, listHosts, updateHost } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { answer, type Answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Scope } from "@nts/shared/http/tenancy";
import { Discard } from "@nts/shared/mongo/transaction";
import { newId } from "@nts/shared/ids";
import { refusingDuplicates } from "../storage/duplicates.js";
import { answerList, commonFilter } from "../storage/lists.js";
import { mountRemoval } from "../resource.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";
import { holdTags } from "../tags/hold-tags.js";
import { insertHost } from "./insert.js";
import { newHostOf } from "./new-host.js";
import { CHILDREN } from "./store.js";

export function mountHosts(router: Router, storage: Storage): void {
  const { guards, hosts, services, transaction } = storage;

  mount(router, listHosts, async ({ scope: whole, query }) => {
    const scope = narrowedTo(whole, query.network_id);
    const total = (): Promise<number> => guards.total(scope, "hosts");
    return answerList(hosts, query, { scope, filter: commonFilter(query), total, join: CHILDREN });
  });

  mount(router, createHost, async ({ scope, body }) => {
    const made = newHostOf(body, { now: new Date().toISOString(), newId, source: "Manual" });
    return refusingDuplicates(() =>
      transaction([made.host.id], async (session) => {
        await insertHost(storage, session, scope, made);
        return answerHost(scope, made.host.id, session);
      }),
    );
  });

  mount(router, getHost, ({ scope, params }) => answerHost(scope, params.id));

  mount(router, updateHost, ({ scope, params: { id }, body, ifMatch }) =>
    transaction([id], async (session) => {
      const current = await hosts.get(scope, id, session);
      const { entity } = current;
      requireRevision(ifMatch, current.revision);
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
      if (next === null) throw new Discard(await answerHost(scope, id, session));
      await holdTags(guards, session, scope, { tags, kept: entity.tags });
      await hosts.replace(session, scope, [next]);
      if (body.name !== entity.name) await services.renameHost(session, scope, id, body.name);
      return answerHost(scope, id, session);
    }),
  );

  mountRemoval(router, { one: deleteHost, several: bulkDeleteHosts }, remove);

  /** Removes hosts with everything on them: all or none. */
  async function remove(scope: Scope, ids: readonly string[], ifMatch: readonly string[] | null): Promise<void> {
    const sorted = [...ids].sort();
    await transaction(sorted, async (session) => {
      for (const id of sorted) {
        requireRevision(ifMatch, (await hosts.get(scope, id, session)).revision);
        const taken = await hosts.take(session, scope, id);
        if (taken === null) throw new AppError("not_found", { entity: hosts.name });
        const removed = { hosts: -1, interfaces: 0, ports: 0, services: 0, bindings: 0 };
        for (const kind of ["bindings", "services", "ports", "interfaces"] as const)
          removed[kind] = -(await storage[kind].remove(session, scope, { host_id: id }));
        await guards.count(session, scope, taken.network_id, removed);
      }
    });
  }

  /** @param session of the write that is answered: what others write a moment later does not belong in its answer */
  async function answerHost(scope: Scope, id: string, session?: ClientSession): Promise<Answer<never>> {
    const found = await hosts.readWithChildren(scope, id, session);
    if (found === null) throw new AppError("not_found", { entity: "Host" });
    return answer.json(found.json, { revision: found.revision });
  }
}
