import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Endpoint } from "../contract/endpoint.js";
import { revertChanges } from "../contract/revert.js";
import { IDEMPOTENCY_KEY, IdempotencyKey, PLAN_TAG, takesIdempotencyKey } from "../contract/writes.js";
import { validationFailed } from "../errors.js";
import type { Precondition } from "../revision.js";
import type { Effect } from "../writes/recorder.js";
import { placeOf, type Remembering } from "../writes/remembered.js";
import type { RequestedWrite } from "../writes/writes.js";
import type { HandlerResponse } from "./respond.js";
import { isUser, type Principal, type UserPrincipal } from "./tenancy.js";

// What a request asks of its write: a dry run, an explanation, or an idempotent replay.

/** An ignored idempotency key would be a broken promise. */
const NONE_FOR_IMPORTS = "must not be sent with an import, which changes nothing when it is repeated";

/** The parts of the request that identify it. */
export interface WriteRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly principal: Principal;
  readonly precondition: Precondition | null;
}

/** @param bytes hash of the body @returns null for an ordinary request @throws AppError `validation_failed` */
export function requestedWriteOf(
  request: IncomingMessage,
  operation: Endpoint,
  { params, query, body, principal, precondition }: WriteRequest,
  bytes: Hash | null,
): RequestedWrite | null {
  if (operation.method === "get" || !isUser(principal)) return null;
  const { dry_run: isDry = false, explain = false } = (operation.plans === true ? query : {}) as Record<
    string,
    boolean
  >;
  const [tag, another] = precondition?.match ?? [];
  const expected = operation.plans === true && another === undefined && tag?.startsWith(PLAN_TAG) === true ? tag : null;
  const isBulk = Array.isArray(body);
  // A dry run consumes no key, but rejects an invalid one like the write.
  const keyed = rememberingOf(request, operation, principal, bytes);
  const remembering = isDry ? null : keyed;
  if (!isDry && !explain && expected === null && remembering === null) return null;
  const named = new Set(isBulk ? (body as string[]) : Object.values(params as Record<string, string>));
  return {
    isDry,
    plan: isDry || explain ? { effect: effectOf(operation, isBulk), named } : null,
    expected,
    remembering,
  };
}

/** What a write does overall. A revert may do anything, depending on the request that it reverts. */
function effectOf({ operationId, method }: Endpoint, isBulk: boolean): Effect | null {
  if (operationId === revertChanges.operationId) return null;
  if (isBulk || method === "delete") return "delete";
  return method === "post" ? "create" : "update";
}

function rememberingOf(
  request: IncomingMessage,
  operation: Endpoint,
  { userId, scope }: UserPrincipal,
  bytes: Hash | null,
): Remembering | null {
  const given = request.headers[IDEMPOTENCY_KEY];
  if (given === undefined || bytes === null) return null;
  if (operation.upload !== undefined) throw validationFailed({ path: "Idempotency-Key", message: NONE_FOR_IMPORTS });
  if (!takesIdempotencyKey(operation)) return null;
  const key = IdempotencyKey.safeParse(given);
  if (!key.success)
    throw validationFailed({ path: "Idempotency-Key", message: key.error.issues[0]?.message ?? "is not valid" });
  const named = createHash("sha256")
    .update(`${request.method ?? ""} ${request.url ?? ""}\n`)
    .update(bytes.digest());
  return {
    organizationId: scope.organizationId,
    userId,
    place: placeOf(userId, key.data),
    fingerprint: named.digest("base64url"),
    isSecret: operation.showsSecret === true,
    isNetwork: operation.path.startsWith("/api/v1/networks"),
    isDeletion: operation.method === "delete" || operation.path.endsWith("/bulk-delete"),
  };
}

/** The JSON text of a response. */
export async function textOf(schema: z.ZodType, given: HandlerResponse<unknown>): Promise<string> {
  if (given.kind === "data") return JSON.stringify(schema.parse(given.data));
  if (given.kind === "json") return given.json.toString();
  if (given.kind !== "pieces") throw new Error("a write must return a single value");
  const texts: string[] = [];
  for await (const piece of given.pieces) texts.push(piece.toString());
  return texts.join("");
}
