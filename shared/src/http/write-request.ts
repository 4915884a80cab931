import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Endpoint } from "../contract/endpoint.js";
import { mergeHosts } from "../contract/hosts.js";
import { revertChanges } from "../contract/revert.js";
import { IDEMPOTENCY_KEY, IdempotencyKey, type Plan, PLAN_TAG, takesIdempotencyKey } from "../contract/writes.js";
import { validationFailed } from "../errors.js";
import type { Precondition } from "../revision.js";
import type { Work } from "../work.js";
import type { HandlerResponse } from "./respond.js";
import { isUser, type Principal, type UserPrincipal } from "./tenancy.js";

// What a request asks of its write: a dry run, an explanation, or an idempotent replay.

/** What a write does overall, if anything. */
export type Effect = Exclude<Plan["action"], "none">;

/** A request with an idempotency key, and its user. */
export interface Remembering {
  readonly organizationId: string;
  readonly userId: string;
  /** Of the user and the key, see `placeOf`. */
  readonly place: string;
  readonly fingerprint: string;
  readonly isSecret: boolean;
  /** The result is a network itself. */
  readonly isNetwork: boolean;
  readonly isDeletion: boolean;
}

/** What a request asks of its write. */
export interface RequestedWrite {
  readonly isDry: boolean;
  /** Records what the write does, with an effect as in `Recorder.plan`; null if no plan is requested. */
  readonly plan: { readonly effect: Effect | null; readonly named: ReadonlySet<string> } | null;
  /** The required ETag of the plan; null for any. */
  readonly expected: string | null;
  /** Null without an idempotency key. */
  readonly remembering: Remembering | null;
}

export interface Handling {
  /** Whose dry runs take turns. */
  readonly organizationId: string;
  readonly work: Work;
  /** Runs the handler; it may run again after a rollback. */
  readonly handle: (work: Work) => Promise<HandlerResponse<unknown>>;
  /** The JSON text of its result. */
  readonly textOf: (given: HandlerResponse<unknown>) => Promise<string>;
  /** Responds with the current state of a previously returned entity. */
  readonly reread: (id: string) => Promise<HandlerResponse<unknown>>;
  /** Whether the caller may access a network. */
  readonly sees: (networkId: string) => boolean;
}

export interface Writes {
  /**
   * Performs a write.
   *
   * @throws AppError `idempotency_mismatch` · `idempotency_in_progress` · `secret_shown_once` · `precondition_failed` if
   * the plan differs, and whatever the handler throws
   */
  run(requested: RequestedWrite, handling: Handling): Promise<HandlerResponse<unknown>>;
}

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
  if (operationId === mergeHosts.operationId) return "update";
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
  // Its handler takes care of the key.
  if (given === undefined || bytes === null || operation.keyed === true) return null;
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

/** The id of a stored response. */
function placeOf(userId: string, key: string): string {
  return createHash("sha256").update(`${userId} ${key}`).digest("base64url");
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
