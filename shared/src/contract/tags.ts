import { z } from "zod";
import {
  BulkDelete,
  BulkDeleted,
  byId,
  Description,
  filters,
  Id,
  listQuery,
  Name,
  Nothing,
  serverFields,
} from "./common.js";
import { endpoint } from "./endpoint.js";

/** A managed tag of an organization. Entities carry its id; a free label needs no tag. */
export const Tag = z
  .object({
    ...serverFields,
    organization_id: Id,
    name: z.string(),
    description: z.string().nullable(),
    color: z.string().nullable(),
  })
  .meta({ id: "Tag" });
export type Tag = z.infer<typeof Tag>;

export const TagInput = z
  .object({
    name: Name.describe("Unique in the organization, whatever the case of its letters."),
    organization_id: Id.optional().describe("The caller's own organization."),
    description: Description.nullable().optional(),
    color: z
      .string()
      .regex(/^[A-Za-z0-9#]{1,30}$/, "must be a colour such as `#3b82f6` or `blue`")
      .nullable()
      .optional(),
  })
  .meta({ id: "TagInput" });

const common = { upstream: "topology", credential: "any", tag: "Tags" } as const;

export const listTags = endpoint({
  ...common,
  operationId: "list_tags",
  method: "get",
  path: "/api/v1/tags",
  permission: "Viewer",
  summary: "List tags",
  query: listQuery(["created_at", "name", "color"], {
    network_id: filters.network_id.describe("Has no effect: tags belong to the organization."),
    ids: filters.ids,
  }),
  response: Tag,
  list: true,
  errors: [],
});

export const createTag = endpoint({
  ...common,
  operationId: "create_tag",
  method: "post",
  path: "/api/v1/tags",
  permission: "Admin",
  summary: "Create a tag",
  body: TagInput,
  response: Tag,
  errors: ["permission_denied", "already_exists"],
});

export const getTag = endpoint({
  ...common,
  operationId: "get_tag_by_id",
  method: "get",
  path: "/api/v1/tags/{id}",
  permission: "Viewer",
  summary: "Get a tag",
  params: byId,
  response: Tag,
  errors: ["not_found"],
});

export const updateTag = endpoint({
  ...common,
  operationId: "update_tag",
  method: "put",
  path: "/api/v1/tags/{id}",
  permission: "Admin",
  summary: "Update a tag",
  params: byId,
  body: TagInput,
  response: Tag,
  errors: ["not_found", "permission_denied", "already_exists", "precondition_failed", "write_conflict"],
});

export const deleteTag = endpoint({
  ...common,
  operationId: "delete_tag",
  method: "delete",
  path: "/api/v1/tags/{id}",
  permission: "Admin",
  summary: "Delete a tag and take it off everything",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

export const bulkDeleteTags = endpoint({
  ...common,
  operationId: "bulk_delete_tags",
  method: "post",
  path: "/api/v1/tags/bulk-delete",
  permission: "Admin",
  summary: "Delete several tags: all or none",
  body: BulkDelete,
  response: BulkDeleted,
  errors: ["not_found", "write_conflict"],
});
