import { z } from "zod";
import { byId, filters, Id, Instant, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

// The journal of what happened to topology resources. @see docs/changes.md

/** Kinds of entities that have entries. Bindings are told with their service. */
export const CHANGED_ENTITIES = ["Network", "Subnet", "Host", "Interface", "Port", "Service", "Tag"] as const;
export const ChangedEntity = z.enum(CHANGED_ENTITIES);
export const CHANGE_ACTIONS = ["created", "updated", "deleted"] as const;

/** Seconds that an empty answer may be held back. */
export const LONGEST_WAIT_SECONDS = 25;

export const Actor = z
  .object({
    user_id: Id,
    key_id: Id.nullable().describe("Null when it was a session."),
    email: z.string().nullable().describe("Of the user at that time."),
  })
  .meta({ id: "Actor" });
export type Actor = z.infer<typeof Actor>;

const Before = z.record(z.string(), z.unknown()).nullable();

/** One entry of the journal. */
export const Change = z
  .object({
    cursor: z.string().describe("Its place in the order of commit; `after` it come later ones."),
    at: Timestamp.describe("When it was committed."),
    action: z.enum(CHANGE_ACTIONS),
    entity: ChangedEntity,
    entity_id: Id,
    network_id: Id.nullable().describe("Null for a tag."),
    host_id: Id.nullable().describe("Of what stands on a host, and of the host itself."),
    name: z
      .string()
      .describe("What the entity was called; an address, or a number and protocol, where it has no name."),
    before: Before.describe(
      "The entity as it was answered; null when it was created. A host is without what is on it.",
    ),
    after: Before.describe("The entity as it was answered from then on; null when it was deleted."),
    fields: z.array(z.string()).describe("The members that an update changed, but for `updated_at`."),
    actor: Actor.nullable().describe("Null when nobody is known to have asked for it."),
    request_id: z.string().nullable(),
    comment: z.string().nullable().describe("The `Change-Comment` of the request."),
    reconciled: z
      .boolean()
      .describe(
        "Found by comparing what is stored: the entity was there before its journal, or the journal was cut off.",
      ),
  })
  .meta({ id: "Change" });
export type Change = z.infer<typeof Change>;

/** A page of entries. */
const Changes = z.array(Change).meta({ id: "Changes" });

/** A place in the order of commit. */
export const ChangeCursor = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/);

export const reading = {
  order_direction: z.enum(["asc", "desc"]).default("asc").describe("The oldest first, or the newest."),
  limit: z.int().min(1).max(1000).default(50).describe("The most entries that are answered; there may be fewer."),
  after: ChangeCursor.optional().describe("Only what comes behind this cursor in the order of the answer."),
} as const;

const changeFilters = {
  network_id: filters.network_id,
  host_id: Id.optional().describe("Only this host, and what stands on it."),
  entity: ChangedEntity.optional().describe("Only entities of this kind."),
  entity_id: Id.optional().describe("Only this entity."),
  action: z.enum(CHANGE_ACTIONS).optional(),
  user_id: Id.optional().describe("Only changes by this user."),
  key_id: Id.optional().describe("Only changes by this API key."),
  request_id: z.string().min(1).max(128).optional().describe("Only changes by this request."),
  since: Instant.optional().describe("Only changes at this time or later."),
  until: Instant.optional().describe("Only changes before this time."),
} as const;

const common = { upstream: "topology", credential: "any", permission: "Viewer", tag: "Changes" } as const;

export const listChanges = endpoint({
  ...common,
  operationId: "list_changes",
  method: "get",
  path: "/api/v1/changes",
  waits: true,
  summary: "List changes, in the order in which they were committed",
  description:
    "`meta.next` is the cursor to go on from, also at the end of what there is; null at the end of the order `desc`. " +
    "`meta.oldest` is the one behind which everything is kept.",
  query: z.strictObject({
    ...changeFilters,
    ...reading,
    wait: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_SECONDS)
      .default(0)
      .describe("Seconds for which an answer without changes is held back until there are some. Not with `desc`."),
  }),
  response: Changes,
  errors: ["cursor_invalid", "changes_gone"],
});

/** The type of an answer that goes on. */
export const EVENT_STREAM = "text/event-stream";

/** Seconds after which a stream tells where it is, whether something came or not. */
export const BOOKMARK_SECONDS = 15;

/** Why a stream ends that could go on for its credential; the code of an error otherwise. */
export const STREAM_ENDS = {
  rights_changed: "The caller's rights have changed; connect again.",
  closing: "The process that served the stream stops; connect again.",
} as const;

/** The last event of a stream, as text. @param end its code, and what that means */
export function endEvent(end: { readonly code: string; readonly error: string }): string {
  return `event: end\ndata: ${JSON.stringify(end)}\n\n`;
}

export const streamChanges = endpoint({
  ...common,
  operationId: "stream_changes",
  method: "get",
  path: "/api/v1/changes/stream",
  streams: true,
  files: [EVENT_STREAM],
  summary: "Follow changes while they happen",
  description:
    "Server-Sent Events: `state` with an entity as it is, where `initial` asks for it; `change` with an entry as `/changes` answers it, and its cursor as the id; `bookmark` with a cursor alone, " +
    `when all that there was has come and every ${BOOKMARK_SECONDS} s; \`end\` with a code when the stream is ended on purpose. ` +
    "`Last-Event-ID` says from where to go on, and is stronger than `after`; without both it begins with the oldest change.",
  query: z.strictObject({
    ...changeFilters,
    after: ChangeCursor.optional().describe("Only what comes behind this cursor."),
    initial: z
      .boolean()
      .default(false)
      .describe("Begins with what there is, unless it goes on from a cursor. With filters of place and entity only."),
  }),
  response: z.string(),
  errors: ["cursor_invalid", "changes_gone", "too_many_streams"],
});

function history(singular: string, path: string, one: string) {
  return endpoint({
    ...common,
    operationId: `get_${singular}_history`,
    method: "get",
    path: `/api/v1/${path}/{id}/history`,
    summary: `What happened to ${one}`,
    description:
      "Also of one that is deleted. `meta.next` is the cursor to go on from; null at the end of the order `desc`.",
    params: byId,
    query: z.strictObject(reading),
    response: Changes,
    errors: ["not_found", "cursor_invalid"],
  });
}

export const getNetworkHistory = history("network", "networks", "a network itself");
export const getSubnetHistory = history("subnet", "subnets", "a subnet");
export const getHostHistory = history("host", "hosts", "a host, and to what stood on it");
export const getInterfaceHistory = history("interface", "interfaces", "an interface");
export const getPortHistory = history("port", "ports", "a port");
export const getServiceHistory = history("service", "services", "a service");
export const getTagHistory = history("tag", "tags", "a tag");
