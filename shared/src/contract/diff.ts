import { z } from "zod";
import { ChangedEntity } from "./changes.js";
import { filters, Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Moment } from "./moments.js";

// The difference between two points in time, derived from the journal. @see docs/changes.md

/** Maximum changes in the compared range, and maximum entities that they affect. */
export const COMPARED = { changes: 500_000, entities: 200_000 } as const;

/** Response formats. */
export const DIFF_FORMATS = ["json", "markdown"] as const;

const State = z.record(z.string(), z.unknown()).nullable();

const Difference = z
  .object({
    entity: ChangedEntity,
    entity_id: Id,
    network_id: Id.nullable().describe("Null for a tag."),
    host_id: Id.nullable().describe("For hosts and their children; otherwise null."),
    name: z.string().describe("Name at `to`, or at `from` if removed."),
    before: State.describe("The entity at `from`; null if it was added. A host is shown without its children."),
    after: State.describe("The entity at `to`; null if it was removed."),
    fields: z
      .array(z.string())
      .describe("The members that differ, except `updated_at`; empty if it was changed and changed back."),
  })
  .meta({ id: "Difference" });
export type Difference = z.infer<typeof Difference>;

export const Diff = z
  .object({
    from: z.string().describe("Cursor of the start."),
    to: z.string().describe("Cursor of the end, from which changes can be followed."),
    added: z.array(Difference),
    removed: z.array(Difference),
    changed: z.array(Difference),
  })
  .meta({ id: "Diff" });
export type Diff = z.infer<typeof Diff>;

export const diffChanges = endpoint({
  operationId: "diff_changes",
  method: "get",
  path: "/api/v1/changes/diff",
  upstream: "topology",
  credential: "any",
  permission: "Viewer",
  tag: "Changes",
  summary: "Compare two points in time",
  description:
    "Entities that were both added and removed in between are omitted. At most " +
    `${COMPARED.changes} changes of ${COMPARED.entities} entities are compared. Markdown is a plain file without an envelope.`,
  query: z.strictObject({
    from: Moment.describe("Start: a time or a cursor."),
    to: Moment.optional().describe("End: a time or a cursor; default now."),
    network_id: filters.network_id,
    format: z.enum(DIFF_FORMATS).meta({ id: "DiffFormat" }).default("json"),
  }),
  response: Diff,
  files: ["text/markdown"],
  errors: ["cursor_invalid", "changes_gone", "too_many_changes"],
});
