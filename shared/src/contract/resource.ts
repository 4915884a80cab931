import { z } from "zod";
import type { ErrorCode } from "../errors.js";
import { BulkDelete, BulkDeleted, byId, Nothing } from "./common.js";
import { endpoint, type Permission } from "./endpoint.js";
import { type KindName, KINDS } from "./kinds.js";
import { AS_OF_ERRORS, asOf } from "./moments.js";
import { tagOf } from "./operation-tags.js";
import { planned } from "./writes.js";

// Operations common to all resources of the topology service.

interface Rights {
  /** The level required for writes. */
  readonly write: Permission;
  /** Its entities belong to the whole organization, not to a network. */
  readonly wholeOrganization?: boolean;
}

/** Creates `get_X_by_id`, `delete_X` and `bulk_delete_X` of a kind. */
export function resource(name: KindName, { write, wholeOrganization = false }: Rights) {
  const { one, singular, plural } = KINDS[name];
  const common = { upstream: "topology", credential: "any", tag: tagOf(name) } as const;
  const path = `/api/v1/${plural}`;
  return {
    /** Shared members of all its operations. */
    common,
    getOne: <Response extends z.ZodType>(response: Response, summary = `Get ${one}`) =>
      endpoint({
        ...common,
        operationId: `get_${singular}_by_id`,
        method: "get",
        path: `${path}/{id}`,
        permission: "Viewer",
        summary,
        params: byId,
        query: z.strictObject(asOf),
        response,
        errors: ["not_found", ...AS_OF_ERRORS],
      }),
    deleteOne: (summary = `Delete ${one}`, ...errors: readonly ErrorCode[]) =>
      endpoint({
        ...common,
        ...planned,
        operationId: `delete_${singular}`,
        method: "delete",
        path: `${path}/{id}`,
        permission: write,
        wholeOrganization,
        summary,
        params: byId,
        response: Nothing,
        errors: ["not_found", ...errors, "precondition_failed", "write_conflict"],
      }),
    bulkDelete: (...errors: readonly ErrorCode[]) =>
      endpoint({
        ...common,
        ...planned,
        operationId: `bulk_delete_${plural}`,
        method: "post",
        path: `${path}/bulk-delete`,
        permission: write,
        wholeOrganization,
        summary: `Delete several ${plural}: all or none`,
        body: BulkDelete,
        response: BulkDeleted,
        errors: ["not_found", ...errors, "write_conflict"],
      }),
  };
}
