import { z } from "zod";
import { byId, filters, Id, Instant, OrderDirection, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { forKinds, KIND_NAMES, type KindName, KINDS } from "./kinds.js";

// The journal of changes to topology resources. @see docs/changes.md

/** Bindings are part of their service. */
export const ChangedEntity = z.enum(KIND_NAMES).meta({ id: "ChangedEntity" });
/** `missed` and `returned` change no entity: an import covered it without finding it, or found it again. */
export const CHANGE_ACTIONS = ["created", "updated", "deleted", "missed", "returned"] as const;

/** Maximum long-polling time in seconds. */
export const LONGEST_WAIT_SECONDS = 25;

export const Actor = z
  .object({
    user_id: Id,
    key_id: Id.nullable().describe("Null for a session."),
    email: z
      .string()
      .nullable()
      .describe("The user's email address at that time; `collector` and its name for a collector."),
  })
  .meta({ id: "Actor" });
export type Actor = z.infer<typeof Actor>;

const Before = z.record(z.string(), z.unknown()).nullable();

export const ChangeAction = z.enum(CHANGE_ACTIONS).meta({ id: "ChangeAction" });

/** One entry of the journal. */
export const Change = z
  .object({
    cursor: z.string().describe("Position in commit order; pass it as `after` to get later changes."),
    at: Timestamp.describe("When it was committed."),
    action: ChangeAction.describe(
      "`missed`: an import covered a host, port or service and did not find it; `returned`: it was found again. The entity and its `ETag` are unchanged, and `before` and `after` differ in `missed_since`, which other entries do not have.",
    ),
    entity: ChangedEntity,
    entity_id: Id,
    network_id: Id.nullable().describe("Null for a tag."),
    host_id: Id.nullable().describe("For hosts and their children; otherwise null."),
    name: z.string().describe("Name of the entity; the address, or number and protocol, if it has none."),
    before: Before.describe(
      "The entity before the change; null if it was created. A host is shown without its children.",
    ),
    after: Before.describe("The entity after the change; null if it was deleted."),
    fields: z
      .array(z.string())
      .describe("The members changed by an update, except `updated_at`; `missed_since` for a sighting."),
    actor: Actor.nullable().describe("Null if unknown."),
    request_id: z.string().nullable(),
    comment: z.string().nullable().describe("The `Change-Comment` of the request."),
    reconciled: z
      .boolean()
      .describe("Derived by comparing stored state: the entity predates the journal, or the journal was truncated."),
  })
  .meta({ id: "Change" });
export type Change = z.infer<typeof Change>;

/** The state of an entity, as a stream sends it first. */
const State = Change.pick({
  entity: true,
  entity_id: true,
  network_id: true,
  host_id: true,
  name: true,
  after: true,
}).meta({
  id: "EntityState",
});

/** A page of entries. */
const Changes = z.array(Change).meta({ id: "Changes" });

/** A position in commit order. */
export const ChangeCursor = z
  .string()
  .max(64)
  .regex(/^[\w-]+$/, "is not a cursor");

export const reading = {
  order_direction: OrderDirection.default("asc").describe("Oldest first, or newest first."),
  limit: z.int().min(1).max(1000).default(50).describe("Maximum number of entries; a page may have fewer."),
  after: ChangeCursor.optional().describe("Only entries after this cursor, in the requested order."),
} as const;

const byEntity = {
  entity: ChangedEntity.optional().describe("Only entities of this kind."),
  entity_id: Id.optional().describe("Only this entity."),
} as const;

const byWrite = {
  action: ChangeAction.optional().describe("Only changes of this kind."),
  user_id: Id.optional().describe("Only changes by this user."),
  key_id: Id.optional().describe("Only changes by this API key."),
  request_id: z.string().min(1).max(128).optional().describe("Only changes by this request."),
  since: Instant.optional().describe("Only changes at or after this time."),
  until: Instant.optional().describe("Only changes before this time."),
} as const;

const changeFilters = {
  network_id: filters.network_id,
  host_id: Id.optional().describe("Only this host, its children, and what connects it with others."),
  ...byEntity,
  ...byWrite,
} as const;

const common = { upstream: "topology", credential: "any", permission: "Viewer", tag: "Changes" } as const;

export const listChanges = endpoint({
  ...common,
  operationId: "list_changes",
  method: "get",
  path: "/api/v1/changes",
  waits: true,
  summary: "List changes in commit order",
  description:
    "`meta.next` is the cursor to continue from, even at the end of the journal; null at the end of `desc` order. " +
    "All changes after the cursor `meta.oldest` are retained.",
  query: z.strictObject({
    ...changeFilters,
    ...reading,
    wait: z
      .int()
      .min(0)
      .max(LONGEST_WAIT_SECONDS)
      .default(0)
      .describe("Long polling: seconds to wait for changes if there are none yet. Not with `desc`."),
  }),
  response: Changes,
  errors: ["cursor_invalid", "changes_gone"],
});

export const EVENT_STREAM = "text/event-stream";

/** Interval in seconds at which a stream sends its position, even without changes. */
export const BOOKMARK_SECONDS = 15;

/** Reasons for ending a stream whose credential is still valid; otherwise the end event carries an error code. */
export const STREAM_ENDS = {
  rights_changed: "The caller's rights have changed; connect again.",
  closing: "The server is shutting down; connect again.",
} as const;

/** The last event of a stream in SSE format. @param end code and message */
export function endEvent(end: { readonly code: string; readonly error: string }): string {
  return `event: end\ndata: ${JSON.stringify(end)}\n\n`;
}

const sent = <Name extends string, Data extends z.ZodType>(event: Name, data: Data) =>
  z.object({ event: z.literal(event), data });
const at = { id: z.string().describe("Where to resume, as `Last-Event-ID`.") };

/** An event of a stream, by its fields. */
const StreamedEvent = z
  .discriminatedUnion("event", [
    sent("change", Change).extend(at).meta({ id: "ChangeEvent" }),
    sent("state", State).meta({ id: "StateEvent" }),
    sent("bookmark", z.object({ cursor: z.string() }).meta({ id: "Bookmark" }))
      .extend(at)
      .meta({ id: "BookmarkEvent" }),
    sent("end", z.object({ code: z.string(), error: z.string() }).meta({ id: "StreamEnd" })).meta({ id: "EndEvent" }),
  ])
  .meta({ id: "StreamedEvent" });

export const streamChanges = endpoint({
  ...common,
  operationId: "stream_changes",
  method: "get",
  path: "/api/v1/changes/stream",
  streams: true,
  files: [EVENT_STREAM],
  summary: "Stream changes as they happen",
  description:
    "Server-Sent Events: `state` with the current state of an entity, if `initial` is set; `change` with an entry as in `/changes`, and its cursor as the event id; `bookmark` with a cursor only, " +
    `after the backlog and then every ${BOOKMARK_SECONDS} s; \`end\` with a code when the server ends the stream. ` +
    "`Last-Event-ID` sets the position to resume from and takes precedence over `after`; without either, the stream starts at the oldest change.",
  query: z.strictObject({
    ...changeFilters,
    after: ChangeCursor.optional().describe("Only changes after this cursor."),
    initial: z
      .boolean()
      .default(false)
      .describe(
        "Send the current state first, unless resuming from a cursor. Only with filters by network, host and entity.",
      ),
  }),
  response: StreamedEvent,
  errors: ["cursor_invalid", "changes_gone", "too_many_streams"],
});

/** The filters of changes that can tell entries of one entity apart. */
const ofOne = z.strictObject({ ...byWrite, ...reading });
const ofHost = z.strictObject({ ...byEntity, ...byWrite, ...reading });

function history<Query extends typeof ofOne>(name: KindName, query: Query, one: string = KINDS[name].one) {
  const { singular, plural } = KINDS[name];
  return endpoint({
    ...common,
    operationId: `get_${singular}_history`,
    method: "get",
    path: `/api/v1/${plural}/{id}/history`,
    summary: `Get the history of ${one}`,
    description: "Also available after deletion. Filters as of `/changes`.",
    params: byId,
    query,
    response: Changes,
    errors: ["not_found", "cursor_invalid"],
  });
}

/** Of every kind. */
export const HISTORIES = {
  ...forKinds(KIND_NAMES, (name) => history(name, ofOne)),
  Network: history("Network", ofOne, "a network, without its contents"),
  Host: history("Host", ofHost, "a host, its children, and what connects it with others"),
};
