import {
  bulkDeleteTags,
  COLOUR_FAULT,
  createTag,
  deleteTag,
  getTag,
  listTags,
  patchTag,
  updateTag,
  type Tag,
} from "@nts/shared/contract";
import { validationFailed } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { mountUpdate, type UpdateHandler } from "@nts/shared/http/mount-update";
import { newId } from "@nts/shared/ids";
import type { Notices } from "../deletions/notices.js";
import { requireOwnOrganization } from "./own-organization.js";
import { commitNew } from "../commit/create.js";
import { commitUpdate } from "../commit/update.js";
import { SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import { commonFilter } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { deleteTags } from "../deletions/tags.js";
import { tagKind } from "../kinds/tag.js";
import { isColour } from "../values/colours.rules.js";

export function mountTags(router: Router, storage: Storage, past: Past, notices: Notices): void {
  mountList(router, listTags, { entities: storage.tags, past }, plan());
  mount(router, createTag, create(storage));
  mountGet(router, getTag, { entities: storage.tags, past });
  mountUpdate(router, { put: updateTag, patch: patchTag }, update(storage));
  mountRemoval(router, { one: deleteTag, several: bulkDeleteTags }, (removed) => deleteTags(storage, notices, removed));
}

function plan(): ListPlanOf<typeof listTags> {
  return (query, scope) => ({ filter: commonFilter(query, scope), selective: SMALL_COLLECTION_INDEX });
}

function create(storage: Storage): UserHandler<typeof createTag> {
  return async ({ work, scope, body }) => {
    requireOwnOrganization(scope, body.organization_id);
    requireColour(body.color);
    const now = new Date().toISOString();
    const server = { id: newId(), created_at: now, updated_at: now, organization_id: scope.organizationId };
    const tag = tagKind.make(body, server);
    await commitNew(storage, { work, scope }, { tags: { created: [tag] } });
    return respond.data(tag, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateTag> {
  return async ({ work, scope, params: { id }, requestedState, precondition }) => {
    const decide = (tag: Tag): Tag => {
      const body = requestedState(tag);
      requireOwnOrganization(scope, body.organization_id);
      if (body.color !== tag.color) requireColour(body.color);
      return tagKind.apply(tag, body);
    };
    const { entity, revision } = await commitUpdate(storage, "Tag", { work, scope, id, precondition }, decide);
    return respond.data(entity, { revision });
  };
}

function requireColour(color: string | null = null): void {
  if (color !== null && !isColour(color)) throw validationFailed({ path: "color", message: COLOUR_FAULT });
}
