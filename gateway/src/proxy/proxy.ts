import { performance } from "node:perf_hooks";
import type { AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { bodyLimitOf } from "@nts/shared/http/body";
import type { Log } from "@nts/shared/log";
import type { Call, Replica } from "@nts/shared/upstream/replicas";
import type { Upstream } from "@nts/shared/upstream/upstream";
import { sendFailure } from "../edge/answers.js";
import { hasBody, skipBody } from "../edge/body.js";
import type { Exchange } from "../edge/exchange.js";
import { frameOf } from "./frame.js";
import { sendHeadOnly, Splice } from "./splice.js";
import type { AnswerHead, AnswerReader, Sending, Transport } from "./transport.js";

// Passes a request on to a service and its answer back, both as they come. A client that goes away takes the request to
// the service with it, also before that has answered; a service that breaks off takes the client's connection with it; and
// nobody waits for ever. Another replica gets a request of which no byte was sent, and once a read that got no answer.

const HEAD_MS = 10_000;
const STALLED_MS = 30_000;

/** Attempts to reach a replica at all, for one request. */
const MOST_ATTEMPTS = 3;

/** What is passed on. */
export interface Forwarding {
  readonly exchange: Exchange;
  readonly endpoint: AnyEndpoint;
  /** Of the message to the service. */
  readonly headers: Record<string, string | string[]>;
}

export interface ProxyOptions {
  readonly upstream: Pick<Upstream, "call">;
  readonly transport: Transport;
  readonly log: Log;
}

/** Answers an exchange with what a service answers. */
export type Proxy = (forwarding: Forwarding) => void;

/** Makes the function that passes requests on to one service. */
export function createProxy(options: ProxyOptions): Proxy {
  return (forwarding) => {
    const { response } = forwarding.exchange;
    // The client may have gone, or been told that its request is malformed, while its credential was checked.
    if (!response.destroyed && !response.headersSent) new Passage(options, forwarding).begin();
  };
}

/** One request that is passed on. A class, because a closure for each of its steps would cost more than the steps. */
class Passage implements AnswerReader {
  #call: Call | null = null;
  #sending: Sending | null = null;
  #splice: Splice | null = null;
  #attempts = 0;
  #mayReadAgain: boolean;
  #isOver = false;
  #progressedAt = 0;
  /** Bytes of the connection that had come when it was last looked at. */
  #takenIn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: ProxyOptions,
    private readonly forwarding: Forwarding,
  ) {
    this.#mayReadAgain = forwarding.endpoint.method === "get";
  }

  begin(): void {
    const { exchange, endpoint } = this.forwarding;
    const { request } = exchange;
    this.#expectHead();
    exchange.onEnd = this.#stop;
    if (endpoint.upload !== undefined) request.once("end", this.#expectHead);
    if (endpoint.body === undefined && hasBody(request.headers))
      skipBody(request, () => {
        this.#fail(new AppError("payload_too_large"));
      });
    this.#attempt();
  }

  #attempt(other?: Replica): void {
    const { exchange, endpoint, headers } = this.forwarding;
    this.#attempts++;
    try {
      this.#call = this.options.upstream.call({
        ...(other && { other }),
        ...(this.#mayReadAgain && { onEjected: this.#askAnother }),
      });
    } catch (error) {
      this.#fail(error as AppError);
      return;
    }
    this.#sending = this.options.transport.send({
      replica: this.#call.replica,
      request: exchange.request,
      headers,
      bodyLimitBytes: endpoint.body === undefined ? null : bodyLimitOf(endpoint),
      reader: this,
    });
  }

  /** The replica was given up while it was waited for. */
  readonly #askAnother = (): void => {
    if (this.#isOver || !this.#mayReadAgain) return;
    this.#mayReadAgain = false;
    this.#sending?.abort();
    const before = this.#call;
    before?.end();
    this.#attempt(before?.replica);
  };

  onFault(error: Error, wasSent: boolean): void {
    if (this.#isOver) return;
    // A body that is too long is no fault of the replica.
    if (error instanceof AppError) {
      this.#fail(error);
      return;
    }
    const before = this.#call;
    before?.failed();
    before?.end();
    const isOpen = this.#splice === null && !this.forwarding.exchange.response.headersSent;
    if (isOpen && this.#attempts < MOST_ATTEMPTS && (!wasSent || this.#mayReadAgain)) {
      if (wasSent) this.#mayReadAgain = false;
      this.#attempt(before?.replica);
    } else this.#fail(new AppError(wasSent ? "upstream_failed" : "unavailable", {}, error));
  }

  onHead(head: AnswerHead): void {
    if (this.#isOver) return;
    const { exchange, endpoint } = this.forwarding;
    const { request, requestId } = exchange;
    this.#call?.answered();
    this.#progressedAt = performance.now();
    if (head.status === 304) {
      sendHeadOnly(exchange, head, null);
      return;
    }
    const frame = frameOf(head, endpoint, requestId);
    if (frame === null) this.#fail(new AppError("upstream_failed", {}, `unusable answer of status ${head.status}`));
    else if (request.method === "HEAD") sendHeadOnly(exchange, head, frame.length);
    else this.#splice = new Splice(head, exchange, frame, this.#resume);
  }

  onData(piece: Buffer): boolean {
    this.#progressedAt = performance.now();
    return this.#splice === null || this.#splice.add(piece);
  }

  onEnd(trailers: AnswerHead["headers"]): void {
    if (this.#splice?.end(trailers) === false)
      this.#fail(new AppError("upstream_failed", {}, "an answer without its total"));
  }

  readonly #resume = (): void => {
    this.#sending?.resume();
  };

  readonly #expectHead = (): void => {
    if (this.#isOver || this.#splice !== null) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tooLate, HEAD_MS);
  };

  /** A file is still coming, and the service takes it in: how fast the client is, the edge watches. */
  #isTakingIn(): boolean {
    const { request } = this.forwarding.exchange;
    if (this.forwarding.endpoint.upload === undefined || request.readableEnded) return false;
    const { bytesRead } = request.socket;
    const moves = request.readableLength === 0 || bytesRead > this.#takenIn;
    this.#takenIn = bytesRead;
    return moves;
  }

  readonly #tooLate = (): void => {
    if (this.#splice === null && this.#isTakingIn()) {
      this.#expectHead();
      return;
    }
    if (this.#splice === null) this.#call?.failed();
    else {
      const leftMs = this.#progressedAt + STALLED_MS - performance.now();
      if (leftMs > 0) {
        this.#timer = setTimeout(this.#tooLate, leftMs);
        return;
      }
    }
    this.#fail(new AppError("upstream_timeout"));
  };

  #fail(error: AppError): void {
    if (this.#isOver) return;
    const { exchange, endpoint } = this.forwarding;
    this.#stop();
    if (error.code !== "payload_too_large")
      this.options.log.warn(
        { request_id: exchange.requestId, operation: endpoint.operationId, err: error.cause, code: error.code },
        "no answer",
      );
    sendFailure(exchange, error);
  }

  readonly #stop = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#call?.end();
    const { response, unreadable } = this.forwarding.exchange;
    // Of a request that is answered as unreadable no more comes: the service would wait for its end.
    if (!response.writableFinished || unreadable) this.#sending?.abort();
  };
}
