import { z } from "zod";
import { ChangedEntity } from "./changes.js";
import { filters, Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Moment } from "./moments.js";

// What is different between two moments, by the journal. @see docs/changes.md

/** Changes between two moments that can be compared, and entities that they may be of. */
export const COMPARED = { changes: 500_000, entities: 200_000 } as const;

/** How differences are answered. */
export const DIFF_FORMATS = ["json", "markdown"] as const;

const State = z.record(z.string(), z.unknown()).nullable();

const Difference = z
  .object({
    entity: ChangedEntity,
    entity_id: Id,
    network_id: Id.nullable().describe("Null for a tag."),
    host_id: Id.nullable().describe("Of what stands on a host, and of the host itself."),
    name: z.string().describe("What the entity is called at `to`, or was at `from` when it is gone."),
    before: State.describe("The entity as it was answered at `from`; null when it was added. A host is without what is on it."), // prettier-ignore
    after: State.describe("The entity as it was answered at `to`; null when it was removed."),
    fields: z
      .array(z.string())
      .describe("The members that differ, but for `updated_at`; none when it was changed and changed back."),
  })
  .meta({ id: "Difference" });
export type Difference = z.infer<typeof Difference>;

export const Diff = z
  .object({
    from: z.string().describe("The cursor of the earlier moment."),
    to: z.string().describe("The cursor of the later one; following changes may go on behind it."),
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
  summary: "What is different between two moments",
  description:
    "What was added or changed and removed again in between is not mentioned. At most " +
    `${COMPARED.changes} changes of ${COMPARED.entities} entities are compared. Markdown is a plain file without an envelope.`,
  query: z.strictObject({
    from: Moment.describe("The earlier moment: a time, or a cursor."),
    to: Moment.optional().describe("The later moment; now unless given."),
    network_id: filters.network_id,
    format: z.enum(DIFF_FORMATS).default("json"),
  }),
  response: Diff,
  files: ["text/markdown"],
  errors: ["cursor_invalid", "changes_gone", "too_many_changes"],
});
