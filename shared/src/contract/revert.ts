import { z } from "zod";
import { ChangedEntity } from "./changes.js";
import { Id, QUOTA_ERRORS } from "./common.js";
import { endpoint } from "./endpoint.js";
import { RevertJob } from "./revert-job.js";
import { Reverted } from "./reverted.js";
import { planned } from "./writes.js";

// Reverts the changes of a request. @see docs/changes.md

/** Maximum entities that a revert writes in one transaction, and maximum bytes of their former states. */
export const REVERTED_ENTITIES = 4_000;
export const REVERTED_BYTES = 16 * 1_048_576;

/** Maximum conflicts listed in an error. */
export const LISTED_CONFLICTS = 100;

/** Why an entity prevents a request from being reverted. */
export const REVERT_CONFLICTS = {
  changed: "it was changed again",
  deleted: "it or something it depends on was deleted",
  exists: "it already exists again",
  depends: "it depends on something that would be deleted",
  in_the_way: "it occupies the place of something that would be restored",
  being_deleted: "its deletion is still in progress; try again in a few minutes",
} as const;

/** An element of `conflicts` of the error `revert_conflict`. */
export const RevertConflict = z.object({
  entity: ChangedEntity,
  entity_id: Id,
  reason: z.enum(Object.keys(REVERT_CONFLICTS) as [keyof typeof REVERT_CONFLICTS]),
});
export type RevertConflict = z.infer<typeof RevertConflict>;

export const revertChanges = endpoint({
  ...planned,
  operationId: "revert_changes",
  method: "post",
  path: "/api/v1/changes/revert",
  upstream: "topology",
  credential: "any",
  permission: "Member",
  tag: "Changes",
  summary: "Revert the changes of a request",
  description:
    "Restores what the request deleted (with the same ids), deletes what it created, and resets what it updated, atomically. " +
    "Requires the permissions of these writes, in the networks of the caller. If an entity was changed since, the response is " +
    "409 `revert_conflict`, which lists it. A request that changed more than " +
    `${REVERTED_ENTITIES.toLocaleString("en")} entities, such as a large import, is checked as a whole and then reverted in ` +
    "several transactions; what is as it was before already is left out, so an interrupted revert can be repeated. With " +
    "`Prefer: respond-async`, the response to such a revert, or to its dry run, is 202 with a job; smaller ones and requests with an " +
    "`Idempotency-Key` are responded to as without it.",
  body: z.object({ request_id: z.string().min(1).max(128).describe("The `request_id` of the changes.") }),
  response: Reverted,
  accepted: RevertJob,
  errors: [
    "not_found",
    "permission_denied",
    ...QUOTA_ERRORS,
    "revert_conflict",
    "too_many_changes",
    "already_exists",
    "mac_address_immutable",
    "ip_outside_subnet",
    "write_conflict",
    "too_many_in_flight",
  ],
});
