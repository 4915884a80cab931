import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { BodyOf, DataOf, Endpoint, ParamsOf, QueryOf } from "../contract/endpoint.js";
import { bodyTypesOf } from "../contract/upload.js";
import { IDEMPOTENCY_KEY, IdempotencyKey } from "../contract/writes.js";
import { AppError, validationFailed } from "../errors.js";
import type { Log } from "../log.js";
import type { HandlerResponse } from "./respond.js";
import { authorIn } from "./author.js";
import { authorize } from "./authorize.js";
import { readJsonBody, type Reading, readUpload } from "./body.js";
import { fulfils, isUnchanged, preconditionOf, requireApplicable, sendUnchanged } from "./conditions.js";
import { faultsOf } from "./faults.js";
import { type ParentRequest, INTERNAL, TENANCY_CHALLENGE } from "./headers.js";
import { createObserver, type ObserverOptions } from "./observation.js";
import { readParts } from "./parts.js";
import { prefersJob } from "./preferences.js";
import { createQueryReader } from "./query.js";
import { startClock, workOf } from "./request-work.js";
import { createRouteTable, type RouteTable } from "./route-table.js";
import { discardResponse, sendResponse, sendError } from "./send.js";
import { isUser, type Principal, type Scope, type UserPrincipal } from "./tenancy.js";
import { createValidator } from "./validate.js";
import type { Precondition } from "../revision.js";
import type { Shares } from "../scheduling/shares.js";
import type { Work } from "../work.js";
import { type Writes, textOf, requestedWriteOf } from "./write-request.js";

// Mounts handlers for operations of the contract. Handlers get validated input and a principal instead of requests and
// responses; they return data or throw an AppError.

/** The input of a handler. */
export interface Call<E> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  readonly principal: Principal;
  /** This request, as the cause of further ones. */
  readonly cause: ParentRequest;
  /** Address of the client, as seen by the gateway. */
  readonly clientAddress: string;
  /** The client's `User-Agent`; null if absent. */
  readonly userAgent: string | null;
  /** Hashes of the browser's session cookies; empty for operations that do not end sessions. */
  readonly sessionHashes: readonly string[];
  /** Hashes of the cookies that bind a provider sign-in to its browser; empty for other operations. */
  readonly browserHashes: readonly string[];
  /** Of `If-Match` and `If-None-Match`; null if both are absent. */
  readonly precondition: Precondition | null;
  /** The `Last-Event-ID` of a stream's client; null if absent. */
  readonly lastEventId: string | null;
  /** Of an operation that is `keyed`; null for others. */
  readonly idempotencyKey: string | null;
  /** Whether the client prefers a job, see `Endpoint.accepted`. */
  readonly prefersJob: boolean;
  /** Passed to everything that uses the database for this request. */
  readonly work: Work;
  readonly log: Log;
}

/** A call by a user, whose scope limits it. */
export interface UserCall<E> extends Call<E> {
  readonly principal: UserPrincipal;
  readonly scope: Scope;
}

export type Handler<E> = (call: Call<E>) => Promise<HandlerResponse<DataOf<E>>>;
export type UserHandler<E> = (call: UserCall<E>) => Promise<HandlerResponse<DataOf<E>>>;

export interface RouterOptions extends ObserverOptions {
  readonly verifyTenancy: (header: string | undefined) => Principal | null;
  /** Maps failures of dependencies, such as an unreachable database; others become `internal_error`. */
  readonly mapFault: (error: unknown) => AppError | null;
  /** Milliseconds until the response must start. */
  readonly deadlineMs: number;
  /** Removes deleted networks from a user's scope. */
  readonly visible?: (scope: Scope) => Scope | Promise<Scope>;
  /** Headers of a whole list, determined before it is read. */
  readonly beforeList?: (scope: Scope) => Promise<Readonly<Record<string, string>>>;
  /** Limits of each organization's concurrent database use. */
  readonly shares: Shares;
  /**
   * Runs before the response to a user's write, or to what ends access, whatever its outcome; if it rejects, that becomes
   * the response.
   */
  readonly settleWrite?: () => Promise<void>;
  /** Handles dry runs, explained writes, and writes with an idempotency key. */
  readonly writes?: Writes;
}

export interface Router {
  readonly options: RouterOptions;
  readonly routes: RouteTable<MountedRoute>;
  /** operationIds in the order of mounting. */
  readonly mounted: string[];
  /** Handles a request; without a matching route, the response is 404. */
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/** Dependencies of request handling. */
interface RequestHandling {
  readonly options: RouterOptions;
  readonly routes: RouteTable<MountedRoute>;
  readonly observe: ReturnType<typeof createObserver>;
}

interface MountedRoute {
  readonly operation: Endpoint;
  readonly run: (call: Call<Endpoint>) => Promise<HandlerResponse<unknown>>;
  readonly readQuery: (search: string) => object;
  /** Null for an operation without a JSON body. */
  readonly validateBody: BodyValidator | null;
}

type BodyValidator = (value: unknown) => unknown;

/** Creates an empty router; see {@link mount}. */
export function createRouter(options: RouterOptions): Router {
  const routes = createRouteTable<MountedRoute>();
  const handling = { options, routes, observe: createObserver(options) };
  return {
    options,
    routes,
    mounted: [],
    handle: (request, response) => {
      handleRequest(handling, request, response).catch((error: unknown) => {
        options.log.error({ err: error }, "a response could not be sent");
        response.destroy();
      });
    },
  };
}

/** Mounts a handler for an operation called by users. */
export function mount<E extends Endpoint>(
  router: Router,
  operation: E,
  handler: UserHandler<E>,
  validateBody?: BodyValidator,
): void {
  const { visible, beforeList } = router.options;
  const admit: Handler<E> = async (call) => {
    const { principal } = call;
    if (!isUser(principal)) throw new AppError("not_authenticated");
    const seen = visible === undefined ? principal.scope : visible(principal.scope);
    // Before any await, because an unhandled rejection would end the process.
    const scope = seen instanceof Promise ? await seen : seen;
    const { limit, as_of: asOf } = call.query as { readonly limit?: number; readonly as_of?: string };
    const isWholeList = operation.list === true && limit === 0 && asOf === undefined;
    const headers = isWholeList ? await beforeList?.(principal.scope) : undefined;
    const given = await handler({ ...call, principal, scope });
    return headers === undefined ? given : { ...given, headers: { ...given.headers, ...headers } };
  };
  mountAny(router, operation, admit, validateBody);
}

/**
 * Mounts a handler for an operation called by anyone or by our own processes.
 *
 * @param validateBody by default, by the schema of the operation
 */
export function mountAny<E extends Endpoint>(
  router: Router,
  operation: E,
  handler: Handler<E>,
  validateBody?: BodyValidator,
): void {
  const route: MountedRoute = {
    operation,
    run: handler,
    readQuery: createQueryReader(operation.query ?? z.strictObject({}), { isWrite: operation.method !== "get" }),
    validateBody:
      operation.body === undefined || operation.upload !== undefined
        ? null
        : (validateBody ?? createValidator(operation.body)),
  };
  router.routes.add(operation.method, operation.path, route);
  router.mounted.push(operation.operationId);
}

async function handleRequest(
  { options, routes, observe }: RequestHandling,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = request.url ?? "/";
  const cut = url.indexOf("?");
  const found = routes.find(
    request.method === "HEAD" ? "GET" : (request.method ?? ""),
    cut === -1 ? url : url.slice(0, cut),
  );
  const observation = observe(request, response, found?.value.operation ?? null);
  const clock = startClock(response, options.deadlineMs, ({ cause, code }) => {
    options.log.warn({ ...observation.ids, err: cause, code }, "no response in time");
  });
  try {
    const principal = options.verifyTenancy(header(request, INTERNAL.tenancy));
    if (principal === null) {
      response.setHeader("www-authenticate", TENANCY_CHALLENGE);
      throw new AppError("not_authenticated");
    }
    observation.principal = principal;
    if (found === null) throw new AppError("not_found", { entity: "Path" });
    const { operation, readQuery } = found.value;
    authorize(operation, principal);
    const bytes = request.headers[IDEMPOTENCY_KEY] === undefined ? null : createHash("sha256");
    const clientAddress = header(request, INTERNAL.clientAddress) ?? "";
    const call = {
      ...(await readParts({
        params: () => parseWith(operation.params, found.params),
        query: () => readQuery(cut === -1 ? "" : url.slice(cut + 1)),
        body: () => bodyOf({ request, response }, found.value, clock, (body) => bytes?.update(body)),
      })),
      principal,
      cause: observation.cause,
      clientAddress,
      userAgent: header(request, "user-agent") ?? null,
      sessionHashes: hashesIn(header(request, INTERNAL.sessionHashes)),
      browserHashes: hashesIn(header(request, INTERNAL.browserHashes)),
      precondition: preconditionOf(request.headers),
      lastEventId: header(request, "last-event-id") ?? null,
      idempotencyKey: operation.keyed === true ? keyIn(request) : null,
      prefersJob: prefersJob(request.headers),
      work: workOf(options.shares, response, {
        principal,
        clock,
        author: authorIn(request, principal, observation.cause.requestId),
        origin: { requestId: observation.cause.requestId, address: clientAddress },
      }),
      log: options.log,
    };
    const routed = { request, route: found.value, routes, call: call as unknown as Call<Endpoint>, bytes };
    const given = await runAndSettle(options, routed, principal);
    if (response.headersSent) return;
    if (isUnchanged(request, given)) sendUnchanged(response, given);
    else await sendResponse(response, operation, given);
  } catch (error) {
    const fault =
      error instanceof AppError ? error : (options.mapFault(error) ?? new AppError("internal_error", {}, error));
    if (fault.code === "internal_error" || fault.code === "unavailable")
      options.log.error({ ...observation.ids, err: fault.cause ?? error, code: fault.code }, "request failed");
    sendError(response, fault);
  }
}

interface RoutedCall {
  readonly request: IncomingMessage;
  readonly route: MountedRoute;
  readonly routes: RouteTable<MountedRoute>;
  readonly call: Call<Endpoint>;
  /** Of the body; only with an idempotency key. */
  readonly bytes: Hash | null;
}

/** Runs the handler, directly or as part of a dry run, explained or idempotent write. */
async function runHandler({ writes }: RouterOptions, routed: RoutedCall): Promise<HandlerResponse<unknown>> {
  const { request, route, routes, call, bytes } = routed;
  const { operation, run } = route;
  const requested = writes === undefined ? null : requestedWriteOf(request, operation, call, bytes);
  // A plan's ETag is no revision: it is compared with what the write does.
  const expectsPlan = requested !== null && requested.expected !== null;
  const precondition = expectsPlan ? null : call.precondition;
  requireApplicable(operation, precondition);
  if (writes === undefined || requested === null) return run(call);
  const { principal } = call;
  return writes.run(requested, {
    organizationId: isUser(principal) ? principal.scope.organizationId : "",
    work: call.work,
    handle: (work) => run({ ...call, precondition, work }),
    textOf: (given) => textOf(operation.response, given),
    reread: (id) => {
      const [collection = ""] = operation.path.split("/{");
      const path = operation.method === "post" ? `${collection}/${id}` : (request.url ?? "").replace(/\?.*$/, "");
      const getter = routes.find("GET", path);
      if (getter === null)
        throw new Error(`${operation.operationId} returns an entity that has no operation to read it`);
      return getter.value.run({
        ...call,
        params: getter.params,
        query: {},
        body: undefined,
      });
    },
    sees: (networkId) => {
      if (!isUser(principal)) return false;
      const { networks } = principal.scope;
      return networks === "all" || networks.includes(networkId);
    },
  });
}

async function bodyOf(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  { operation, validateBody }: MountedRoute,
  reading: Reading,
  onBytes: (bytes: Buffer) => void,
): Promise<unknown> {
  if (operation.upload !== undefined) return readUpload(request, response, operation.upload, reading);
  return validateBody === null ? undefined : validateBody(await readJsonBody(request, bodyTypesOf(operation), onBytes));
}

async function runAndSettle(
  options: RouterOptions,
  routed: RoutedCall,
  principal: Principal,
): Promise<HandlerResponse<unknown>> {
  try {
    const given = await runHandler(options, routed);
    if (routed.route.operation.method !== "get" || fulfils(routed.call.precondition, given)) return given;
    await discardResponse(given);
    throw new AppError("precondition_failed");
  } finally {
    await settled(options, routed.route.operation, principal);
  }
}

async function settled(
  { settleWrite }: RouterOptions,
  { method, endsAccess }: Endpoint,
  principal: Principal,
): Promise<void> {
  if (endsAccess === true || (method !== "get" && isUser(principal))) await settleWrite?.();
}

/** @throws AppError `validation_failed` if it is absent or malformed */
function keyIn(request: IncomingMessage): string {
  const key = IdempotencyKey.safeParse(header(request, IDEMPOTENCY_KEY) ?? "");
  if (key.success) return key.data;
  throw validationFailed({ path: "Idempotency-Key", message: key.error.issues[0]?.message ?? "is not valid" });
}

function hashesIn(text = ""): string[] {
  return text.split(",").filter(Boolean);
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? undefined : value;
}

function parseWith(schema: z.ZodType | undefined, value: unknown): unknown {
  if (schema === undefined) return {};
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw validationFailed(...faultsOf(result.error));
}
