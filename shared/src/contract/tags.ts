import { z } from "zod";
import {
  byId,
  Description,
  filters,
  Id,
  listQuery,
  Name,
  QUOTA_ERRORS,
  reportUnlessStored,
  serverFields,
  text,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { patchOf } from "./merge-patch.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

/** A managed tag of an organization, referenced by id; free labels need no managed tag. */
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

const COLOUR = /^(?:#[0-9a-f]{3}|#[0-9a-f]{6}|[a-z]+)$/i;
export const COLOUR_FAULT = "must be a colour such as #3b82f6 or #38f, or a CSS colour name such as blue";

/** Which names there are is known to the server only. */
const Colour = text(1, 50)
  .check((ctx) => reportUnlessStored(ctx, COLOUR.test(ctx.value) ? null : COLOUR_FAULT))
  .meta({
    minLength: 1,
    maxLength: 50,
    pattern: "^\\s*(?:#[0-9A-Fa-f]{3}|#[0-9A-Fa-f]{6}|[A-Za-z]+)\\s*$",
    examples: ["#3b82f6", "blue"],
  });

export const TagInput = z
  .object({
    name: Name.describe("Unique in the organization, ignoring case."),
    organization_id: Id.optional().describe("The caller's own organization."),
    description: Description.nullable().optional(),
    color: Colour.nullable().optional().describe("`#RGB`, `#RRGGBB`, or a named colour of CSS, such as `blue`."),
  })
  .meta({ id: "TagInput" });

const tags = resource("Tag", { write: "Admin", wholeOrganization: true });
const { common } = tags;

export const listTags = endpoint({
  ...common,
  operationId: "list_tags",
  method: "get",
  path: "/api/v1/tags",
  permission: "Viewer",
  summary: "List tags",
  query: listQuery(["created_at", "name", "color"], {
    ...asOf,
    network_id: filters.network_id.describe("Has no effect: tags belong to the organization."),
    ids: filters.ids,
  }),
  response: Tag,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createTag = endpoint({
  ...common,
  ...planned,
  operationId: "create_tag",
  method: "post",
  path: "/api/v1/tags",
  permission: "Admin",
  wholeOrganization: true,
  summary: "Create a tag",
  body: TagInput,
  response: Tag,
  errors: [...QUOTA_ERRORS, "permission_denied", "already_exists", "write_conflict"],
});

export const getTag = tags.getOne(Tag);

export const updateTag = endpoint({
  ...common,
  ...planned,
  operationId: "update_tag",
  method: "put",
  path: "/api/v1/tags/{id}",
  permission: "Admin",
  wholeOrganization: true,
  summary: "Update a tag",
  params: byId,
  body: TagInput,
  response: Tag,
  errors: ["not_found", "permission_denied", "already_exists", "precondition_failed", "write_conflict"],
});

export const patchTag = patchOf(updateTag);

export const deleteTag = tags.deleteOne("Delete a tag and remove it from all entities");

export const bulkDeleteTags = tags.bulkDelete();
