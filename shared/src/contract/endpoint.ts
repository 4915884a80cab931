import type { z } from "zod";
import type { ErrorCode } from "../errors.js";
import type { OperationTag } from "./operation-tags.js";
import type { Upload } from "./upload.js";

/** Permission levels, highest first. @see docs/api.md "Permissions" */
export const PERMISSIONS = ["Owner", "Admin", "Member", "Viewer"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** True if level `actual` is sufficient for an operation that requires `needed`. */
export function isAtLeast(actual: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(actual) <= PERMISSIONS.indexOf(needed);
}

/** The lower of two levels. */
export function lowerOf(a: Permission, b: Permission): Permission {
  return isAtLeast(a, b) ? b : a;
}

/**
 * The credential a request needs: `any` an API key or a session, `session` a session only, `optional` a session that may have
 * expired, `share` the secret of a share, `none` nothing; `process` the signature of another process of this system.
 */
export type CredentialRule = "any" | "session" | "optional" | "share" | "none" | "process";

/** The process that handles the request. */
export type Upstream = "gateway" | "identity" | "topology";

/** One API operation: the single source of its types, validation, route, permission and documentation. */
export interface Endpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly operationId: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Path with `{name}` placeholders. */
  readonly path: string;
  readonly upstream: Upstream;
  readonly credential: CredentialRule;
  /** The minimum level; null if none is required. */
  readonly permission: Permission | null;
  /** Concerns the whole organization, so API keys restricted to networks are rejected. */
  readonly wholeOrganization?: boolean;
  /** In a session of a user with a second factor, requires a code entered in the last ten minutes. */
  readonly confirmed?: boolean;
  /** What it creates outlives its creator, so keys that end or are limited in any way are rejected. */
  readonly outlivesKeys?: boolean;
  /** API keys with the scope `collect` may use it. */
  readonly collects?: boolean;
  /** Only the key of a collector may use it. */
  readonly ofCollector?: boolean;
  /** Requires an idempotency key, of which its handler takes care. */
  readonly keyed?: boolean;
  /** Ends the browser's sessions: the gateway forwards the hashes of all session cookies. */
  readonly endsSessions?: boolean;
  /** The gateway forwards the hashes of the cookies that bind a provider sign-in to its browser. */
  readonly bindsBrowser?: boolean;
  /** A success redirects the browser: 303 with `Location`. */
  readonly redirects?: boolean;
  /** The response contains a secret, so it is never stored for idempotent replays. */
  readonly showsSecret?: boolean;
  /** The response has an `ETag` although it is not a single resource. @see hasETag */
  readonly etag?: boolean;
  /** Part of the response changes while its `ETag` does not, so it is never 304. */
  readonly isVolatile?: boolean;
  /** With `Prefer: respond-async`, the response is 202 with a job of this schema, which is read at `Location`. */
  readonly accepted?: z.ZodType;
  /** Supports long polling with the parameter `wait`. */
  readonly waits?: boolean;
  /** It ends access, also without a credential of a user: its response waits until gateways have applied all changes of rights. */
  readonly endsAccess?: boolean;
  /** The response is a stream of Server-Sent Events; `files` has the media type. */
  readonly streams?: boolean;
  /** Supports `dry_run` and `explain`: `query` contains the parameters of {@link planned}. */
  readonly plans?: boolean;
  /** The group in the documentation. */
  readonly tag: OperationTag;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Set by `upload()` if the body is a file instead of JSON. */
  readonly upload?: Upload;
  /** The schema of `data`, or of one element if `list` is set. */
  readonly response: Response;
  /** The response is a list with `meta.pagination`. */
  readonly list?: boolean;
  /** Media types of file responses, which have no envelope. */
  readonly files?: readonly string[];
  /** Every successful response is one of `files`. */
  readonly isFile?: boolean;
  /** Error codes in addition to those of every operation. */
  readonly errors: readonly ErrorCode[];
}

/** An operation with unspecified schemas. */
export type AnyEndpoint = Endpoint;

/** The schema of an absent part of a request. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- it has no members on purpose
type NoMembers = z.ZodObject<Record<never, never>>;

/** Declares an operation, keeping the exact types of its schemas. */
export function endpoint<
  Params extends z.ZodObject = NoMembers,
  Query extends z.ZodObject = NoMembers,
  Body extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>(definition: Endpoint<Params, Query, Body, Response>): Endpoint<Params, Query, Body, Response> {
  return definition;
}

export type ParamsOf<E> = E extends Endpoint<infer P> ? z.infer<P> : never;
export type QueryOf<E> = E extends Endpoint<z.ZodObject, infer Q> ? z.infer<Q> : never;
export type BodyOf<E> = E extends Endpoint<z.ZodObject, z.ZodObject, infer B> ? z.infer<B> : never;
export type DataOf<E> = E extends Endpoint<z.ZodObject, z.ZodObject, z.ZodType, infer R> ? z.infer<R> : never;
/** The body as sent by a client, before defaults and normalization. */
export type BodyInputOf<E> = E extends Endpoint<z.ZodObject, z.ZodObject, infer B> ? z.input<B> : never;
/** The query as sent by a client. */
export type QueryInputOf<E> = E extends Endpoint<z.ZodObject, infer Q> ? z.input<Q> : never;
