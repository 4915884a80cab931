import { z } from "zod";
import { byId, filters, Id, Instant, listQuery, Nothing, QUOTA_ERRORS, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Topology } from "./topology.js";
import { View } from "./views.js";

// Links by which people without an account see one view of one network. @see docs/map.md "Shares"

/** What a picture can leave out. */
export const HIDDEN_PARTS = ["addresses", "macs"] as const;
export const HiddenPart = z.enum(HIDDEN_PARTS).meta({ id: "HiddenPart" });
export type HiddenPart = z.infer<typeof HiddenPart>;

/** Maximum shares of an organization. */
export const MOST_SHARES = 200;
/** Requests per minute with a share, in addition to what an address may send. */
export const SHARE_PER_MINUTE = 60;
/** Maximum nodes of a shared picture: it is held in memory. */
export const MOST_SHARED_NODES = 20_000;
const MOST_ORIGINS = 20;

/** As browsers send it; goes into a header as it is. */
const Origin = z
  .string()
  .max(200)
  .trim()
  .toLowerCase()
  .regex(
    /^https?:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/,
    "must be an origin such as https://wiki.example.com",
  )
  .meta({ id: "Origin", examples: ["https://wiki.example.com"] });

export const Share = z
  .object({
    id: Id,
    created_at: Timestamp,
    view_id: Id,
    network_id: Id.describe("The network that it shows."),
    user_id: Id.describe("Who made it. It ends when that user is removed or no longer an Admin."),
    name: z.string().describe("The name of the view when it was shared."),
    expires_at: Timestamp.nullable(),
    ends_at: Timestamp.nullable().describe(
      "At `expires_at`, or earlier by `max_key_lifetime_days` of the organization; null for never.",
    ),
    allow_embedding: z.array(z.string()).describe("Origins whose pages may contain it."),
    hide: z.array(HiddenPart),
    as_of: Timestamp.nullable().describe("The moment that it shows; null for the present."),
    last_used: Timestamp.nullable(),
    uses: z.int().describe("Requests so far, counted as those of API keys."),
  })
  .meta({ id: "Share" });
export type Share = z.infer<typeof Share>;

export const ShareInput = z
  .object({
    expires_at: Instant.nullable().describe("null means never."),
    allow_embedding: z
      .array(Origin)
      .max(MOST_ORIGINS)
      .default([])
      .overwrite((origins) => [...new Set(origins)])
      .describe("Origins whose pages may contain it; by default none."),
    hide: z
      .array(HiddenPart)
      .max(HIDDEN_PARTS.length)
      .default([])
      .overwrite((parts) => [...new Set(parts)])
      .describe("`addresses` leaves out IP addresses, also in names, `macs` MAC addresses."),
    as_of: Instant.nullable().default(null).describe("Freezes the network at this moment, not later than now."),
    network_id: Id.optional().describe("Required for a view of the whole organization: a share shows one network."),
  })
  .meta({ id: "ShareInput" });
export type ShareInput = z.infer<typeof ShareInput>;

const common = {
  upstream: "identity",
  credential: "any",
  permission: "Admin",
  wholeOrganization: true,
  tag: "Shares",
} as const;

export const CreatedShare = z
  .object({ share: Share, link: z.string(), secret: z.string() })
  .meta({ id: "CreatedShare" });
export type CreatedShare = z.infer<typeof CreatedShare>;

export const shareView = endpoint({
  ...common,
  confirmed: true,
  outlivesKeys: true,
  showsSecret: true,
  operationId: "share_view",
  method: "post",
  path: "/api/v1/views/{id}/shares",
  summary: "Share a view by a link, which is only returned here",
  description:
    "Whoever has the link sees the view of one network, and nothing else. Its secret follows the `#`, which browsers do not send.",
  params: byId,
  body: ShareInput,
  response: CreatedShare,
  errors: ["not_found", "invalid_reference", "network_mismatch", ...QUOTA_ERRORS, "write_conflict"],
});

export const listShares = endpoint({
  ...common,
  operationId: "list_shares",
  method: "get",
  path: "/api/v1/shares",
  summary: "List shares",
  query: listQuery(["created_at"], {
    ids: filters.ids,
    view_id: Id.optional().describe("Only those of this view."),
    network_id: filters.network_id.describe("Only those that show this network."),
  }),
  response: Share,
  list: true,
  errors: [],
});

export const deleteShare = endpoint({
  ...common,
  operationId: "delete_share",
  method: "delete",
  path: "/api/v1/shares/{id}",
  summary: "End a share",
  description: "Its link is refused by every gateway when the response arrives.",
  params: byId,
  response: Nothing,
  errors: ["not_found", "precondition_failed", "write_conflict"],
});

/** A tag by which a shared picture is arranged. */
const SharedTag = z
  .object({ id: z.string(), name: z.string(), color: z.string().nullable() })
  .meta({ id: "SharedTag" });

export const SharedView = z
  .object({
    view: View.pick({ name: true, layer: true, collapsed: true, positions: true }),
    network_id: Id,
    network_name: z.string(),
    at: Timestamp.nullable().describe("The moment that it shows; null for the present."),
    tags: z.array(SharedTag).describe("The managed tags among those of its nodes."),
    topology: Topology,
  })
  .meta({ id: "SharedView" });
export type SharedView = z.infer<typeof SharedView>;

export const getSharedView = endpoint({
  upstream: "topology",
  credential: "share",
  permission: null,
  tag: "Shares",
  operationId: "get_shared_view",
  method: "get",
  path: "/api/v1/shared-view",
  summary: "Get what a share shows, with its secret as bearer token",
  description: `What its filters exclude and what is hidden is not in the response, nor are tags that the view does not use. At most ${MOST_SHARED_NODES} nodes.`,
  response: SharedView,
  errors: ["not_found", "too_many_changes", "changes_gone", "unavailable"],
});
