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
import { requireOwnOrganization } from "../references/own-organization.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import { SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import { commonFilter } from "../storage/lists.js";
import { type ListPlanOf, mountGet, mountList, mountRemoval } from "./common.js";
import { requireRevision } from "@nts/shared/revision";
import { revised } from "../storage/revisions.rules.js";
import type { Past } from "../past/past.js";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { updateSingle } from "./update-single.js";
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
  const { guards, tags, transaction } = storage;
  return async ({ work, scope, body }) => {
    await storage.quota.require(scope, "tags");
    requireOwnOrganization(scope, body.organization_id);
    requireColour(body.color);
    const now = new Date().toISOString();
    const organization_id = scope.organizationId;
    const tag = tagKind.make(body, { id: newId(), created_at: now, updated_at: now, organization_id });
    await refusingDuplicates(() =>
      transaction(work, [tag.id], async (tx) => {
        await tags.insert(tx, scope, [tag]);
        await guards.create(tx, [{ target: tag.id, kind: "tag", organization_id, network_id: null }]);
      }),
    );
    return respond.data(tag, { revision: 1 });
  };
}

function update(storage: Storage): UpdateHandler<typeof updateTag> {
  const { tags } = storage;
  return async ({ work, scope, params: { id }, asked, precondition }) => {
    const next = (current: Stored<Tag>): Stored<Tag> | null => {
      const { entity } = current;
      requireRevision(precondition, current.revision);
      const body = asked(entity);
      requireOwnOrganization(scope, body.organization_id);
      if (body.color !== entity.color) requireColour(body.color);
      return revised(current, tagKind.apply(entity, body), new Date());
    };
    const updated = await refusingDuplicates(() =>
      updateSingle(storage, tags, { work, scope, id, next }, (tx, change) => tags.replace(tx, scope, [change.next])),
    );
    return respond.data(updated.entity, { revision: updated.revision });
  };
}

function requireColour(color: string | null = null): void {
  if (color !== null && !isColour(color)) throw validationFailed({ path: "color", message: COLOUR_FAULT });
}
