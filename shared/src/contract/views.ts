import { z } from "zod";
import { Category } from "./categories.js";
import {
  byId,
  canonicalId,
  filters as listFilters,
  Id,
  label,
  listQuery,
  MOST_TAGS,
  Name,
  QUOTA_ERRORS,
  serverFields,
  Tags,
  text,
  verbatimText,
} from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

// Saved pictures of the map: what is shown, which boxes are collapsed, and where people have put things.

/** What the boxes of a picture are: subnets, hosts with their guests, categories of services, tags, or devices with what hangs on them. */
export const VIEW_LAYERS = ["l3", "workloads", "services", "tags", "l2"] as const;
export const ViewLayer = z
  .enum(VIEW_LAYERS)
  .meta({ id: "ViewLayer" })
  .describe(
    "What boxes are: subnets, hosts with what they run, categories of services, tags, or devices with what hangs on their ports.",
  );
export type ViewLayer = z.infer<typeof ViewLayer>;

/** A view has what people have moved, not the whole layout; every change of it is recorded with what was there before. */
export const MOST_PLACES = 2_000;
const MOST_SUBNETS = 1_000;
/** Of a place: the coordinates of 100,000 hosts have room. */
const FARTHEST = 1_000_000;

const PLACES = `The id of an entity, or the map's name of a group. Those of what no longer exists have no effect.`;

/** Response schemas accept whatever is stored. */
export const ViewPosition = z.object({ x: z.number(), y: z.number() }).meta({ id: "ViewPosition" });
export type ViewPosition = z.infer<typeof ViewPosition>;

export const ViewFilters = z
  .object({
    search: z.string(),
    tags: z.array(z.string()),
    categories: z.array(Category),
    subnets: z.array(z.string()),
    vlans: z.array(z.string()),
    with_hidden: z.boolean(),
  })
  .meta({ id: "ViewFilters" });
export type ViewFilters = z.infer<typeof ViewFilters>;

export const View = z
  .object({
    ...serverFields,
    network_id: Id.nullable().describe("null: of the whole organization."),
    name: z.string(),
    layer: ViewLayer,
    filters: ViewFilters,
    collapsed: z.array(z.string()).describe(`Boxes of which only the header is shown. ${PLACES}`),
    positions: z
      .record(z.string(), ViewPosition)
      .describe(`Upper left corners of what has been moved, in units of the map, within the box around it. ${PLACES}`),
    tags: z.array(z.string()),
  })
  .meta({ id: "View" });
export type View = z.infer<typeof View>;

const Place = verbatimText(1, 200);

const Coordinate = z.int().min(-FARTHEST).max(FARTHEST);

const Positions = z
  .record(Place, z.object({ x: Coordinate, y: Coordinate }).meta({ id: "ViewPositionInput" }))
  .refine((positions) => Object.keys(positions).length <= MOST_PLACES, `must have at most ${MOST_PLACES} members`)
  .meta({ id: "ViewPositionsInput", maxProperties: MOST_PLACES });

const Collapsed = z
  .array(Place)
  .max(MOST_PLACES)
  .overwrite((places) => [...new Set(places)]);

const FiltersInput = z
  .object({
    search: text(0, 100).default(""),
    tags: z.array(label(1, 50).overwrite(canonicalId)).max(MOST_TAGS).default([]),
    categories: z.array(Category).max(Category.options.length).default([]),
    subnets: z.array(Id).max(MOST_SUBNETS).default([]),
    vlans: z.array(Id).max(MOST_SUBNETS).default([]),
    with_hidden: z.boolean().default(false),
  })
  .meta({ id: "ViewFiltersInput" });

const NO_FILTERS: ViewFilters = { search: "", tags: [], categories: [], subnets: [], vlans: [], with_hidden: false };

const NetworkOrAll = Id.nullable().describe("null: of the whole organization.");

export const ViewCreate = z
  .object({
    network_id: NetworkOrAll.default(null),
    name: Name,
    layer: ViewLayer.default("l3"),
    filters: FiltersInput.default(NO_FILTERS),
    collapsed: Collapsed.default([]),
    positions: Positions.default({}),
    tags: Tags.default([]),
  })
  .meta({ id: "ViewCreate" });

export const ViewUpdate = z
  .object({
    network_id: NetworkOrAll.optional(),
    name: Name,
    layer: ViewLayer.optional(),
    filters: FiltersInput.optional(),
    collapsed: Collapsed.optional(),
    positions: Positions.optional().describe("In a patch, null removes a position."),
    tags: Tags.optional(),
  })
  .meta({ id: "ViewUpdate" });

const views = resource("View", { write: "Member" });
const { common } = views;

export const listViews = endpoint({
  ...common,
  operationId: "list_views",
  method: "get",
  path: "/api/v1/views",
  permission: "Viewer",
  summary: "List views",
  query: listQuery(["created_at", "name", "updated_at"], {
    ...listFilters,
    ...asOf,
    network_id: listFilters.network_id.describe("Views of this network, and those of the whole organization."),
  }),
  response: View,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createView = endpoint({
  ...common,
  ...planned,
  operationId: "create_view",
  method: "post",
  path: "/api/v1/views",
  permission: "Member",
  summary: "Create a view",
  description:
    "Without `network_id` it belongs to the whole organization, and API keys restricted to networks cannot write it.",
  body: ViewCreate,
  response: View,
  errors: [...QUOTA_ERRORS, "permission_denied", "invalid_reference", "write_conflict"],
});

export const getView = views.getOne(View);

export const updateView = endpoint({
  ...common,
  ...planned,
  operationId: "update_view",
  method: "put",
  path: "/api/v1/views/{id}",
  permission: "Member",
  summary: "Update a view",
  params: byId,
  body: ViewUpdate,
  response: View,
  errors: [
    "not_found",
    "permission_denied",
    "network_mismatch",
    "invalid_reference",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchView = patchOf(updateView);

export const deleteView = views.deleteOne("Delete a view", "permission_denied");

export const bulkDeleteViews = views.bulkDelete("permission_denied");
