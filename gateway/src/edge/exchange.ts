import type { IncomingMessage, ServerResponse } from "node:http";
import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import { type ParentRequest, REQUEST_ID, TRACEPARENT } from "@nts/shared/http/headers";
import { retryAfterSeconds, STATUSES } from "@nts/shared/http/statuses";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Span, Tracing } from "@nts/shared/tracing/spans";
import type { BucketLevel, BucketLevels } from "../rate-limit/bucket.js";
import { addRateLimit } from "./rate-limit-headers.js";
import { failureTypeFor, PROBLEM_TYPE } from "./problem.js";
import { CHALLENGE, RESPONSE_REQUEST_ID } from "./response-headers.js";
import { ResponseStream, type StreamOwner } from "./response-stream.js";
import { announcesTooMuch, hasBody, isEndless } from "./announced-body.js";
import { clientAddressOf } from "./client-address.js";
import { failureText, problemText } from "./envelope-text.js";
import { jsonHead } from "./json-head.js";
import type { HeaderList } from "./header-list.js";
import type { OpenConnections } from "./open-connections.js";
import { clientRequestIdOf, newRequestId } from "./request-id.js";
import type { BodyDiscard } from "./body-discard.js";
import { LINGER_MS } from "./close-soon.js";
import type { UnreadResponse, UnreadResponses } from "./unread-responses.js";

// A request and its single response, written only by this class. The first call of `respond` or `begin` owns the
// response; later ones have no effect. Exceptions in its callbacks end the exchange, never the process.

/** Bytes of an unwanted body that are read at full speed after the response; more is paced. */
const AT_ONCE_BYTES = 65_536;

/** Shared by all exchanges of a process. */
export interface ExchangeContext {
  /** Trusted proxies in front of the gateway. */
  readonly trustedHops: number;
  /** Sent with every response. */
  readonly commonHeaders: HeaderList;
  readonly tracing: Tracing;
  readonly unread: UnreadResponses;
  readonly bodyDiscard: BodyDiscard;
  readonly connections: Pick<OpenConnections, "exempt" | "all">;
  readonly log: Log;
  /** Called when an exchange has ended. */
  readonly account: (exchange: Exchange) => void;
  /** Called with every unexpected exception. */
  readonly onDefect: () => void;
}

/** Something that lives as long as an exchange. */
export interface Dependent {
  /** The exchange has ended: response sent, client disconnected, or aborted. May be called again. */
  release(): void;
}

/** A request and its response, with what becomes known about them. */
export class Exchange implements UnreadResponse, StreamOwner {
  readonly requestId = newRequestId();
  /** The client's own id. Only sent back and logged, because two requests may have the same. */
  readonly clientRequestId: string | null;
  readonly clientAddress: string;
  /** `performance.now()` at the end of the request's head. */
  readonly startedAt = performance.now();
  readonly span: Span;
  operationId = "none";
  /** Path of the operation with `{name}` placeholders; null if there is none. */
  route: string | null = null;
  #level: BucketLevel | null = null;
  #levels: BucketLevels = {};
  /** The user, once known. */
  principal: UserPrincipal | null = null;
  /** Id of the valid key of the request, even if it may not be used. */
  keyId: string | null = null;
  /** Id of the share whose secret was presented; its requests count for their address, and for the share. */
  shareId: string | null = null;
  /** The key's own limit per minute; null if only the user's limit applies. */
  keyPerMinute: number | null = null;
  /** Status with which to reject the request for a fault after its head, found before its turn. */
  unreadable: 400 | 408 | 431 | null = null;
  /** `WWW-Authenticate` of a 401. */
  challenge = CHALLENGE;
  /** An allowed CORS preflight request. */
  isPreflight = false;
  #state: "open" | "responding" | "ended" = "open";
  #isOver = false;
  #dependents: Dependent[] = [];

  /** @param onOver called at the very end, before it is accounted for */
  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly context: ExchangeContext,
    private readonly onOver: (exchange: Exchange) => void,
  ) {
    this.clientRequestId = clientRequestIdOf(request.headers[REQUEST_ID]);
    this.clientAddress = clientAddressOf(request, context.trustedHops);
    this.span = context.tracing.begin(request.headers[TRACEPARENT] as string | undefined, this.requestId);
    response.on("close", this.close);
  }

  /** True until a response has begun. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** True once nothing more can be written. */
  get isEnded(): boolean {
    return this.#state === "ended";
  }

  get status(): number {
    return this.response.statusCode;
  }

  /** The response was sent completely, as far as this process can tell. */
  get isDelivered(): boolean {
    return this.response.writableFinished;
  }

  /** The media type in which the client wants failures. */
  get failureType(): string {
    return failureTypeFor(this.request.headers.accept);
  }

  /** Passed on with requests made for this one. */
  get cause(): ParentRequest {
    return { requestId: this.requestId, traceparent: this.span.traceparent };
  }

  /** What rate limits count against: a user, or an address block. */
  get caller(): string {
    return this.principal?.userId ?? addressBlockOf(this.clientAddress);
  }

  /** The last rate limit state, of the bucket that allows least; null before it was checked. */
  get level(): BucketLevel | null {
    return this.#level;
  }

  get levels(): BucketLevels {
    return this.#levels;
  }

  /** It took tokens. @param level of the bucket that allows least */
  took(level: BucketLevel, levels: BucketLevels): void {
    this.#level = level;
    this.#levels = levels;
  }

  /** Bytes of the response that the client has not read. */
  get unreadBytes(): number {
    return this.response.writableLength;
  }

  /** Releases it when the exchange ends. */
  releaseAtEnd(dependent: Dependent): void {
    if (this.#isOver) dependent.release();
    else this.#dependents.push(dependent);
  }

  /** Sets a header of the response, whichever code sends it. */
  setHeader(name: string, value: string): void {
    if (this.isOpen) this.response.setHeader(name, value);
  }

  /** Names request headers that select the response, besides those named before. */
  varyBy(names: string): void {
    if (this.isOpen) this.response.appendHeader("Vary", names);
  }

  /** Gives a library the request and the response. It must not respond. */
  lend(use: (request: IncomingMessage, response: ServerResponse) => void): void {
    use(this.request, this.response);
  }

  /** The connection serves no further request. */
  closeConnection(): void {
    this.response.shouldKeepAlive = false;
  }

  /** The connection serves this stream only, and closes with it. */
  takeConnection(): void {
    this.closeConnection();
    this.context.connections.exempt(this.request.socket);
  }

  /** Sends a complete response in one write. @returns false if the response is no longer open */
  respond(
    status: number,
    headers: HeaderList,
    body: string | Buffer | null,
    encoding: BufferEncoding = "utf8",
  ): boolean {
    const { response } = this;
    if (!this.isOpen) return false;
    const { complete, headers: announced } = this.request;
    const isUnread = !complete && hasBody(announced);
    const isLast = isUnread && (!response.shouldKeepAlive || isEndless(announced));
    this.#writeHead(status, isLast ? headers.add("Connection", "close") : headers);
    this.#state = "ended";
    if (isLast || (isUnread && announcesTooMuch(announced, AT_ONCE_BYTES))) this.#linger(body, encoding);
    else if (body === null) response.end();
    else response.end(body, encoding);
    this.watchUnread();
    return true;
  }

  /** Starts a chunked response. @returns null if the response is no longer open */
  begin(status: number, headers: HeaderList, onDrain: () => void): ResponseStream | null {
    if (!this.isOpen) return null;
    this.#writeHead(status, headers);
    this.#state = "responding";
    return new ResponseStream(this, this.response, this.context.unread, onDrain);
  }

  /** All chunks were written. */
  finish(): void {
    this.#state = "ended";
    this.watchUnread();
  }

  /** Watches clients that do not read their response. */
  watchUnread(): void {
    if (this.response.writableLength > 0) this.context.unread.note(this);
  }

  /**
   * Responds with a failure; aborts a response that has started, so that it cannot be taken for complete.
   *
   * @param status if it does not follow from the code
   */
  fail(error: unknown, status?: number): void {
    const known = error instanceof AppError ? error : this.#defect(error);
    try {
      this.#release();
      if (this.isOpen) this.#sendFailure(known, status ?? STATUSES[known.code]);
      else if (this.#state === "responding") this.cut();
    } catch (again) {
      this.#defect(again);
      this.cut();
    }
  }

  #sendFailure(error: AppError, status: number): void {
    const type = this.failureType;
    const text =
      type === PROBLEM_TYPE ? problemText(error, status, this.requestId) : failureText(error, this.requestId);
    this.respond(
      status,
      jsonHead(status, text, { waitSeconds: retryAfterSeconds(error), type, challenge: this.challenge }),
      text,
    );
  }

  /** Aborts the response and its connection. */
  cut(): void {
    this.#state = "ended";
    this.response.destroy();
    this.request.socket.destroy();
  }

  /** Wraps a callback so that its exceptions end this exchange only. */
  guard<Given extends unknown[]>(callback: (...given: Given) => void): (...given: Given) => void {
    return (...given) => {
      try {
        callback(...given);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** The response was sent, or the client has disconnected. May be called again. */
  readonly close = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#state = "ended";
    try {
      this.#release();
      this.context.unread.forget(this);
      this.context.account(this);
    } catch (error) {
      this.#defect(error);
    }
    this.onOver(this);
  };

  #release(): void {
    if (this.#dependents.length === 0) return;
    const dependents = this.#dependents;
    this.#dependents = [];
    for (const dependent of dependents) dependent.release();
  }

  #writeHead(status: number, headers: HeaderList): void {
    headers.add(RESPONSE_REQUEST_ID, this.clientRequestId ?? this.requestId).addAll(this.context.commonHeaders);
    if (this.#level !== null) addRateLimit(headers, this.#level, this.#levels);
    headers.writeHead(this.response, status);
  }

  /** Responds, and reads the rest of the body for a while before closing the connection. */
  #linger(body: string | Buffer | null, encoding: BufferEncoding): void {
    const { request, response } = this;
    if (body !== null) response.write(body, encoding);
    const end = (): void => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(() => {
      response.once("finish", () => request.socket.destroySoon());
      end();
    }, LINGER_MS);
    this.context.bodyDiscard.skip(request.once("end", end).once("close", end));
  }

  #defect(error: unknown): AppError {
    const { requestId, span, operationId } = this;
    const ids = { request_id: requestId, trace_id: span.traceId, operation: operationId };
    this.context.onDefect();
    this.context.log.error({ ...ids, err: error }, "request failed");
    return new AppError("internal_error", {}, error);
  }
}
