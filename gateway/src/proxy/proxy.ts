import { performance } from "node:perf_hooks";
import type { AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import type { Call, Replica } from "@nts/shared/upstream/replicas";
import type { Upstream } from "@nts/shared/upstream/upstream";
import { sendFailure } from "../edge/answers.js";
import { hasBody, skipBody } from "../edge/body.js";
import type { Exchange } from "../edge/exchange.js";
import { frameOf } from "./frame.js";
import { createSplice, sendHeadOnly, type Splice } from "./splice.js";
import type { AnswerHead, Sending, Transport } from "./transport.js";

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
export function createProxy({ upstream, transport, log }: ProxyOptions): Proxy {
  return ({ exchange, endpoint, headers }) => {
    const { request, response, requestId } = exchange;
    // The client may have gone, or been told that its request is malformed, while its credential was checked.
    if (response.destroyed || response.headersSent) return;
    const isRead = endpoint.method === "get";
    const withBody = endpoint.body !== undefined;
    let attempts = 0;
    let mayReadAgain = isRead;
    let call: Call | null = null;
    let sending: Sending | null = null;
    let splice: Splice | null = null;
    let isOver = false;
    let progressedAt = 0;
    let timer = setTimeout(tooLate, HEAD_MS);
    response.once("close", stop);
    if (!withBody && hasBody(request.headers)) skipBody(request, () => fail(new AppError("payload_too_large")));
    attempt();

    function attempt(other?: Replica): void {
      attempts++;
      try {
        call = upstream.call({ ...(other && { other }), ...(mayReadAgain && { onEjected: askAnother }) });
      } catch (error) {
        fail(error as AppError);
        return;
      }
      const { replica } = call;
      sending = transport.send({ replica, request, headers, withBody, onHead, onData, onEnd, onFault });
    }

    /** The replica was given up while it was waited for. */
    function askAnother(): void {
      if (isOver || !mayReadAgain) return;
      mayReadAgain = false;
      sending?.abort();
      const before = call;
      before?.end();
      attempt(before?.replica);
    }

    function onFault(error: Error, wasSent: boolean): void {
      if (isOver) return;
      // A body that is too long is no fault of the replica.
      if (error instanceof AppError) {
        fail(error);
        return;
      }
      const before = call;
      before?.failed();
      before?.end();
      if (splice === null && !response.headersSent && attempts < MOST_ATTEMPTS && (!wasSent || mayReadAgain)) {
        if (wasSent) mayReadAgain = false;
        attempt(before?.replica);
      } else fail(new AppError(wasSent ? "upstream_failed" : "unavailable", {}, error));
    }

    function onHead(head: AnswerHead): void {
      if (isOver) return;
      call?.answered();
      progressedAt = performance.now();
      if (head.status === 304) {
        sendHeadOnly(response, head, null);
        return;
      }
      const frame = frameOf(head, endpoint, requestId);
      if (frame === null) fail(new AppError("upstream_failed", {}, `unusable answer of status ${head.status}`));
      else if (request.method === "HEAD") sendHeadOnly(response, head, frame.length);
      else splice = createSplice({ head, response, frame, resume: () => sending?.resume() });
    }

    function onData(piece: Buffer): boolean {
      progressedAt = performance.now();
      return splice === null || splice.add(piece);
    }

    function onEnd(trailers: AnswerHead["headers"]): void {
      if (splice?.end(trailers) === false) fail(new AppError("upstream_failed", {}, "an answer without its total"));
    }

    function tooLate(): void {
      if (splice !== null) {
        const leftMs = progressedAt + STALLED_MS - performance.now();
        if (leftMs > 0) {
          timer = setTimeout(tooLate, leftMs);
          return;
        }
      } else call?.failed();
      fail(new AppError("upstream_timeout"));
    }

    function fail(error: AppError): void {
      if (isOver) return;
      stop();
      if (error.code !== "payload_too_large")
        log.warn(
          { request_id: requestId, operation: endpoint.operationId, err: error.cause, code: error.code },
          "no answer",
        );
      sendFailure(exchange, error);
    }

    function stop(): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      call?.end();
      if (!response.writableFinished) sending?.abort();
    }
  };
}
