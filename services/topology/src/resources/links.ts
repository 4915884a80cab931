import {
  bulkDeleteLinks,
  createLink,
  deleteLink,
  getLink,
  type Link,
  listLinks,
  patchLink,
  updateLink,
} from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import { commitNew } from "../commit/create.js";
import { commitRemoval } from "../commit/remove.js";
import { commitUpdate } from "../commit/update.js";
import { linkKind } from "../kinds/link.js";
import type { Past } from "../past/past.js";
import { HOST_LINKS_INDEX } from "../storage/indexes.js";
import { commonFilter } from "../storage/lists.js";
import type { Storage } from "../storage/storage.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";

export function mountLinks(router: Router, storage: Storage, past: Past): void {
  mountList(router, listLinks, { entities: storage.links, past }, plan(storage));
  mount(router, createLink, create(storage));
  mountGet(router, getLink, { entities: storage.links, past });
  mountUpdate(router, { put: updateLink, patch: patchLink }, update(storage));
  mountRemoval(router, { one: deleteLink, several: bulkDeleteLinks }, (removing) =>
    commitRemoval(storage, "Link", removing),
  );
}

function plan({ totals }: Storage): ListPlanOf<typeof listLinks> {
  return (query, scope) => {
    const { host_id, vlan_id } = query;
    const filter = {
      ...commonFilter(query, scope),
      ...(host_id !== undefined && { host_id }),
      ...(vlan_id !== undefined && { vlan_id }),
    };
    const selective = host_id === undefined ? undefined : HOST_LINKS_INDEX;
    return { filter, selective, total: () => totals.total(scope, "links") };
  };
}

function create(storage: Storage): UserHandler<typeof createLink> {
  return async ({ work, scope, body }) => {
    const now = new Date().toISOString();
    const { network_id } = body;
    const made = { id: newId(), created_at: now, updated_at: now, network_id };
    const link = linkKind.make(body, { ...made, source: { type: "Manual" } });
    await commitNew(storage, { work, scope }, { links: { created: [link] } });
    return respond.data(link, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateLink> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (link: Link): Link => {
      const body = requestedState(link);
      if (body.network_id !== link.network_id) throw new AppError("network_mismatch", { path: "network_id" });
      return linkKind.apply(link, body);
    };
    const { entity, revision } = await commitUpdate(storage, "Link", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}
