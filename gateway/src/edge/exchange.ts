import type { IncomingMessage, ServerResponse } from "node:http";
import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import { type Cause, TRACEPARENT } from "@nts/shared/http/headers";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Span, Tracing } from "@nts/shared/tracing/tracing";
import type { Level } from "../rate-limit/bucket.js";
import { addRateLimit } from "../rate-limit/headers.js";
import { ANSWERED_REQUEST_ID } from "./answer-headers.js";
import { AnswerStream } from "./answer-stream.js";
import { announcesTooMuch, hasBody, isEndless } from "./body.js";
import { clientAddressOf } from "./client-address.js";
import { sendFailure } from "./answers.js";
import type { HeaderList } from "./header-list.js";
import type { OpenConnections } from "./open-connections.js";
import { newRequestId } from "./request-id.js";
import type { Skipping } from "./skipping.js";
import type { UnreadAnswers } from "./unread-answers.js";

// A request and its one answer. Only this class writes to the response. Whoever calls `answer` or `begin` first owns the
// answer; everyone later finds it taken and can write nothing. An exception in a callback that belongs to the exchange ends
// the exchange, never the process.

// How long and how much of a body nobody wants is still read after its answer, for the client to get at that answer:
// closing at once would reset the connection, and the answer with it.
const LINGER_MS = 1_000;

/** Bytes of a body that nobody wants which Node may read as fast as they come; with more, others would have to wait. */
const AT_ONCE_BYTES = 65_536;

/** What all exchanges of a process share. */
export interface ExchangeContext {
  /** Proxies of ours in front of the gateway. */
  readonly trustedHops: number;
  /** Of every answer. */
  readonly everyAnswer: HeaderList;
  readonly tracing: Tracing;
  readonly unread: UnreadAnswers;
  readonly skipping: Skipping;
  readonly connections: Pick<OpenConnections, "exempt">;
  readonly log: Log;
  /** Told of each exchange when it is over. */
  readonly account: (exchange: Exchange) => void;
  /** Called with every unexpected exception. */
  readonly onDefect: () => void;
}

/** Something that lives as long as an exchange. */
export interface Dependent {
  /** Nothing more may come of it: the answer has left, the client has, or the gateway has given it up. May be said again. */
  release(): void;
}

/** A request and its answer, with what becomes known of them on the way. */
export class Exchange {
  readonly requestId = newRequestId();
  readonly clientAddress: string;
  /** `performance.now()` at the end of the request's head. */
  readonly startedAt = performance.now();
  readonly span: Span;
  operationId = "none";
  /** Path of the operation with `{name}` placeholders; null when there is none. */
  route: string | null = null;
  /** What the limit said last; null before it was asked. */
  level: Level | null = null;
  /** The user on whose behalf it is made, once known. */
  principal: UserPrincipal | null = null;
  /** Of the good key that came with the request, also where it may not be used. */
  keyId: string | null = null;
  /** Requests a minute that its API key is kept to; null for the user's limit alone. */
  keyPerMinute: number | null = null;
  /** Status with which to refuse what came after the head, when that could not be read before its turn came. */
  unreadable: 400 | 408 | 431 | null = null;
  /** It is a browser's question whether a page of another origin may send a request, and that one may. */
  isPreflight = false;
  #state: "open" | "answering" | "ended" = "open";
  #isOver = false;
  #dependents: Dependent[] = [];

  /** @param onOver called when all is over, before it is accounted for */
  constructor(
    readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly context: ExchangeContext,
    private readonly onOver: (exchange: Exchange) => void,
  ) {
    this.clientAddress = clientAddressOf(request, context.trustedHops);
    this.span = context.tracing.begin(request.headers[TRACEPARENT] as string | undefined, this.requestId);
    response.on("close", this.close);
  }

  /** True until the exchange is answered. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** True when nothing more is written to it. */
  get isEnded(): boolean {
    return this.#state === "ended";
  }

  get status(): number {
    return this.response.statusCode;
  }

  /** The client has all of the answer, as far as this process can tell. */
  get isDelivered(): boolean {
    return this.response.writableFinished;
  }

  /** What requests on behalf of this one tell of it. */
  get cause(): Cause {
    return { requestId: this.requestId, traceparent: this.span.traceparent };
  }

  /** What its limits are counted against: a user, or a block of addresses. */
  get caller(): string {
    return this.principal?.userId ?? addressBlockOf(this.clientAddress);
  }

  /** Bytes of the answer that the client has not taken. */
  get unreadBytes(): number {
    return this.response.writableLength;
  }

  /** Releases it when the exchange is over or given up. */
  hold(dependent: Dependent): void {
    if (this.#isOver) dependent.release();
    else this.#dependents.push(dependent);
  }

  /** Sets a header of the answer, whatever part gives that. */
  setHeader(name: string, value: string): void {
    if (this.isOpen) this.response.setHeader(name, value);
  }

  /** Lets a library have the request and the response themselves. It must not answer. */
  lend(use: (request: IncomingMessage, response: ServerResponse) => void): void {
    use(this.request, this.response);
  }

  /** The connection serves no further request. */
  closeConnection(): void {
    this.response.shouldKeepAlive = false;
  }

  /** The connection is a stream's own, and ends with it. */
  takeConnection(): void {
    this.closeConnection();
    this.context.connections.exempt(this.request.socket);
  }

  /** Answers whole: head and body leave in one write. @returns false when the answer is not open any more */
  answer(
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

  /** Begins an answer that comes in pieces. @returns null when the answer is not open any more */
  begin(status: number, headers: HeaderList, onDrain: () => void): AnswerStream | null {
    if (!this.isOpen) return null;
    this.#writeHead(status, headers);
    this.#state = "answering";
    return new AnswerStream(this, this.response, this.context.unread, onDrain);
  }

  /** All pieces of the answer have been written. */
  finish(): void {
    this.#state = "ended";
    this.watchUnread();
  }

  /** A client that does not take its answer is watched. */
  watchUnread(): void {
    if (this.response.writableLength > 0) this.context.unread.note(this);
  }

  /** Answers with a failure; cuts an answer that has begun, so that it cannot be taken for a whole one. */
  fail(error: unknown, status?: number): void {
    const known = error instanceof AppError ? error : this.#defect(error);
    try {
      this.#release();
      if (this.isOpen) sendFailure(this, known, status);
      else if (this.#state === "answering") this.cut();
    } catch (again) {
      this.#defect(again);
      this.cut();
    }
  }

  /** Ends the answer and its connection, whatever of it has left. */
  cut(): void {
    this.#state = "ended";
    this.response.destroy();
    this.request.socket.destroy();
  }

  /** The callback, with its exceptions kept inside this exchange. */
  guard<Given extends unknown[]>(callback: (...given: Given) => void): (...given: Given) => void {
    return (...given) => {
      try {
        callback(...given);
      } catch (error) {
        this.fail(error);
      }
    };
  }

  /** The answer has left, or the client has gone. May be said again. */
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
    headers.add(ANSWERED_REQUEST_ID, this.requestId).addAll(this.context.everyAnswer);
    if (this.level !== null) addRateLimit(headers, this.level);
    headers.writeHead(this.response, status);
  }

  /** Answers, and reads what is still coming for a while; where that does not end, the connection does. */
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
    this.context.skipping.skip(request.once("end", end).once("close", end));
  }

  #defect(error: unknown): AppError {
    const { requestId, span, operationId } = this;
    const ids = { request_id: requestId, trace_id: span.traceId, operation: operationId };
    this.context.onDefect();
    this.context.log.error({ ...ids, err: error }, "request failed");
    return new AppError("internal_error", {}, error);
  }
}
