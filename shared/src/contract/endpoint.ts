import type { z } from "zod";
import type { ErrorCode } from "../errors.js";
import type { Upload } from "./upload.js";

/** Levels of permission, highest first. @see docs/api.md "Permissions" */
export const PERMISSIONS = ["Owner", "Admin", "Member", "Viewer"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** True when a caller of level `held` may do what needs at least `needed`. */
export function isAtLeast(held: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(held) <= PERMISSIONS.indexOf(needed);
}

/** The lower of two levels. */
export function lowerOf(a: Permission, b: Permission): Permission {
  return isAtLeast(a, b) ? b : a;
}

/**
 * What a request must carry: `any` an API key or a session, `session` a session only, `optional` a session that may
 * have ended already, `none` nothing; `process` the signature of another process of ours.
 */
export type CredentialRule = "any" | "session" | "optional" | "none" | "process";

/** The process that answers. */
export type Upstream = "gateway" | "identity" | "topology";

/** One operation of the API: the single source of its types, validation, route, permission and documentation. */
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
  /** The lowest level that may call it; null where no level is needed. */
  readonly permission: Permission | null;
  /** It is about what belongs to the whole organization: an API key that is restricted to networks may not. */
  readonly wholeOrganization?: boolean;
  /** It ends the sessions that the browser has: identity is told the hashes of all session cookies, however many. */
  readonly endsSessions?: boolean;
  /** Identity is told the hashes of the cookies that bind a sign-in by a provider to its browser. */
  readonly bindsBrowser?: boolean;
  /** A success takes the browser elsewhere: 303 with `Location`, and nothing else. */
  readonly redirects?: boolean;
  /** Its answer shows a secret that is nowhere else, and so is never kept for a repeated request. */
  readonly showsSecret?: boolean;
  /** It can hold its answer back, for the seconds of the parameter `wait`. */
  readonly waits?: boolean;
  /** Its answer goes on for as long as the caller may have it, as Server-Sent Events; its `files` say so. */
  readonly streams?: boolean;
  /** It can be tried without effect, and tells what it changes: `query` holds the parameters of {@link planned}. */
  readonly plans?: boolean;
  /** The group it is documented under. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Set by `upload()` when the body is a file and not JSON. */
  readonly upload?: Upload;
  /** The schema of `data`; of one element when `list` is set. */
  readonly response: Response;
  /** The answer is a list with `meta.pagination`. */
  readonly list?: boolean;
  /** Media types of the files that it can answer instead of JSON; they have no envelope. */
  readonly files?: readonly string[];
  /** It answers nothing but one of its `files`, JSON among them. */
  readonly isFile?: boolean;
  /** Codes beyond those that every operation can answer. */
  readonly errors: readonly ErrorCode[];
}

/** Any operation, when its schemas do not matter. */
export type AnyEndpoint = Endpoint;

/** The schema of a missing part of a request. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no members is what is meant
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
/** What a client may send as the body: before defaults and normalisation. */
export type BodyInputOf<E> = E extends Endpoint<z.ZodObject, z.ZodObject, infer B> ? z.input<B> : never;
/** What a client may send as the query. */
export type QueryInputOf<E> = E extends Endpoint<z.ZodObject, infer Q> ? z.input<Q> : never;
