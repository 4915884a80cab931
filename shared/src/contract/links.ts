import { z } from "zod";
import { byId, filters, Id, label, listQuery, QUOTA_ERRORS, serverFields, Source, Tags } from "./common.js";
import { endpoint } from "./endpoint.js";
import { patchOf } from "./merge-patch.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { resource } from "./resource.js";
import { planned } from "./writes.js";

export const LINK_KINDS = ["Ethernet", "Wireless", "Tunnel", "Other"] as const;
export const LinkKind = z.enum(LINK_KINDS).meta({ id: "LinkKind" });
export type LinkKind = z.infer<typeof LinkKind>;

/** Of one host: deleting a host deletes them with it. */
export const MOST_LINKS_OF_HOST = 2_000;
/** Of a link: more would not be told apart by anybody. */
export const MOST_VLANS = 1_000;
/** Ten terabits per second. */
const FASTEST_MBPS = 10_000_000;
export const PORT_NAME_LENGTH = 100;

/** Where a link ends: at a host, and if known at one of its interfaces or ports. */
export const LinkEnd = z
  .object({ host_id: Id, interface_id: Id.nullable(), port: z.string().nullable() })
  .meta({ id: "LinkEnd" });
export type LinkEnd = z.infer<typeof LinkEnd>;

/** A cable, a radio link or a tunnel between two hosts. */
export const Link = z
  .object({
    ...serverFields,
    network_id: Id,
    kind: LinkKind,
    ends: z.array(LinkEnd).length(2),
    vlan_ids: z.array(Id).describe("The VLANs that it carries, if known."),
    speed_mbps: z.int().nullable(),
    source: Source,
    tags: z.array(z.string()),
  })
  .meta({ id: "Link" });
export type Link = z.infer<typeof Link>;

export const LinkEndInput = z
  .object({
    host_id: Id,
    interface_id: Id.nullable().default(null).describe("One of the host's."),
    port: label(1, PORT_NAME_LENGTH)
      .nullable()
      .default(null)
      .describe("The name of the port, such as `Gi1/0/24`: ports of switches have no addresses."),
  })
  .meta({ id: "LinkEndInput" });

const Ends = z
  .array(LinkEndInput)
  .length(2)
  .refine(([one, other]) => one?.host_id !== other?.host_id, "must be at two different hosts")
  .describe(
    "In either order, both in the network of the link. At two hosts there is one link for each pair of ports; those without a known port are one.",
  );

const optionalFields = {
  speed_mbps: z.int().min(1).max(FASTEST_MBPS).nullable().optional(),
};

const VlanIds = z
  .array(Id)
  .max(MOST_VLANS)
  .overwrite((ids) => [...new Set(ids)]);

export const LinkCreate = z
  .object({
    network_id: Id,
    kind: LinkKind.default("Ethernet"),
    ends: Ends,
    vlan_ids: VlanIds.default([]),
    ...optionalFields,
    tags: Tags.default([]),
  })
  .meta({ id: "LinkCreate" });

export const LinkUpdate = z
  .object({
    network_id: Id,
    kind: LinkKind.optional(),
    ends: Ends,
    vlan_ids: VlanIds.optional(),
    ...optionalFields,
    tags: Tags.optional(),
  })
  .meta({ id: "LinkUpdate" });

const links = resource("Link", { write: "Member" });
const { common } = links;

export const listLinks = endpoint({
  ...common,
  operationId: "list_links",
  method: "get",
  path: "/api/v1/links",
  permission: "Viewer",
  summary: "List links",
  query: listQuery(["created_at", "updated_at"], {
    ...filters,
    ...asOf,
    host_id: Id.optional().describe("Only links of this host."),
    vlan_id: Id.optional().describe("Only links that carry this VLAN."),
  }),
  response: Link,
  list: true,
  errors: AS_OF_ERRORS,
});

export const createLink = endpoint({
  ...common,
  ...planned,
  operationId: "create_link",
  method: "post",
  path: "/api/v1/links",
  permission: "Member",
  summary: "Create a link",
  body: LinkCreate,
  response: Link,
  errors: [...QUOTA_ERRORS, "already_exists", "invalid_reference", "network_mismatch", "write_conflict"],
});

export const getLink = links.getOne(Link);

export const updateLink = endpoint({
  ...common,
  ...planned,
  operationId: "update_link",
  method: "put",
  path: "/api/v1/links/{id}",
  permission: "Member",
  summary: "Update a link",
  params: byId,
  body: LinkUpdate,
  response: Link,
  errors: [
    "not_found",
    "network_mismatch",
    "already_exists",
    "invalid_reference",
    "precondition_failed",
    "write_conflict",
  ],
});

export const patchLink = patchOf(updateLink);

export const deleteLink = links.deleteOne("Delete a link");

export const bulkDeleteLinks = links.bulkDelete();
