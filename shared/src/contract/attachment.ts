import { z } from "zod";
import { byId, Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { Role } from "./roles.js";

// On which switch and port a host hangs. @see docs/links.md

/** Of a host. */
export const MOST_ATTACHMENTS = 100;

const Attached = {
  host_id: Id,
  name: z.string(),
  port: z.string().nullable().describe("The port there, as that device calls it."),
  interface_id: Id.nullable(),
};

export const AttachmentStep = z
  .object({
    via: z.enum(["link", "virtualization"]).describe("By a link, or because the one before runs on it."),
    link_id: Id.nullable(),
    ...Attached,
    is_unmanaged: z.boolean().describe("It is an unmanaged switch."),
  })
  .meta({ id: "AttachmentStep" });
export type AttachmentStep = z.infer<typeof AttachmentStep>;

export const Attachment = z
  .object({
    switch: z
      .object({ ...Attached, role: Role.nullable() })
      .meta({ id: "AttachedSwitch" })
      .describe("The switch, access point, router or firewall."),
    path: z
      .array(AttachmentStep)
      .describe(
        "From the host outward, the switch last; more than one step through unmanaged switches and hypervisors.",
      ),
    link_source: z.string().describe("How it is known: the `source.type` of the last link."),
  })
  .meta({ id: "Attachment" });
export type Attachment = z.infer<typeof Attachment>;

export const HostAttachment = z
  .object({
    attachments: z
      .array(Attachment)
      .describe(`Empty if it is not known; several if the host has several links. Up to ${MOST_ATTACHMENTS}.`),
  })
  .meta({ id: "HostAttachment" });
export type HostAttachment = z.infer<typeof HostAttachment>;

export const getHostAttachment = endpoint({
  operationId: "get_host_attachment",
  method: "get",
  path: "/api/v1/hosts/{id}/attachment",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Hosts",
  summary: "On which switch and port a host hangs",
  params: byId,
  query: z.strictObject(asOf),
  response: HostAttachment,
  errors: ["not_found", ...AS_OF_ERRORS],
});
