import { z } from "zod";
import { ChangedEntity } from "./changes.js";
import { Id } from "./common.js";
import { endpoint } from "./endpoint.js";
import { planned } from "./writes.js";

// The inverse of what a request did. @see docs/changes.md

/** Entities that one revert writes, and bytes of what they were. */
export const REVERTED_ENTITIES = 4_000;
export const REVERTED_BYTES = 16 * 1_048_576;

/** Conflicts that a refusal lists. */
export const LISTED_CONFLICTS = 100;

/** Why an entity keeps a request from being reverted. */
export const REVERT_CONFLICTS = {
  changed: "it was changed again",
  deleted: "it was deleted since, or what it needs was",
  exists: "it is there again already",
  depends: "it needs what would go",
  in_the_way: "it stands where something would come back to",
  being_deleted: "its deletion is still being finished; try again in a few minutes",
} as const;

/** An element of `conflicts` of the error `revert_conflict`. */
export const RevertConflict = z.object({
  entity: ChangedEntity,
  entity_id: Id,
  reason: z.enum(Object.keys(REVERT_CONFLICTS) as [keyof typeof REVERT_CONFLICTS]),
});
export type RevertConflict = z.infer<typeof RevertConflict>;

const Reverted = z
  .object({
    request_id: z.string(),
    restored: z.int().describe("Entities that came back."),
    updated: z.int().describe("Entities that are again as they were."),
    removed: z.int().describe("Entities that went."),
  })
  .meta({ id: "Reverted" });

export const revertChanges = endpoint({
  ...planned,
  operationId: "revert_changes",
  method: "post",
  path: "/api/v1/changes/revert",
  upstream: "topology",
  credential: "any",
  permission: "Member",
  tag: "Changes",
  summary: "Take back what a request did",
  description:
    "What it deleted comes back with its id, what it created goes, what it updated gets its former fields: all of it, or " +
    "nothing. It needs the rights that these writes need themselves, and is limited to the networks of the caller. What " +
    "was changed since is left alone: then the answer is 409 `revert_conflict`, which names it.",
  body: z.object({ request_id: z.string().min(1).max(128).describe("The `request_id` of the changes.") }),
  response: Reverted,
  errors: [
    "not_found",
    "permission_denied",
    "quota_exceeded",
    "revert_conflict",
    "too_many_changes",
    "already_exists",
    "mac_address_immutable",
    "ip_outside_subnet",
    "precondition_failed",
    "write_conflict",
  ],
});
