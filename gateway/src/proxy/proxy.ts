import type { IncomingMessage } from "node:http";
import type { AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Log } from "@nts/shared/log";
import { createProxyMiddleware } from "http-proxy-middleware";
import { sendFailure } from "../edge/answers.js";
import type { Exchange } from "../edge/exchange.js";
import { frameOf } from "./frame.js";
import { createProxiedRequest, type ProxiedRequest } from "./proxied-request.js";
import { sendHeadOnly, splice } from "./splice.js";
import type { Upstream } from "./upstream.js";

// Passes a request on to a service and its answer back, both as they come. http-proxy-middleware speaks with the service;
// what it leaves open is settled here: a client that goes away takes the request to the service with it, also before that
// has answered; a service that breaks off takes the client's connection with it; and nobody waits for ever.

const HEAD_MS = 10_000;
const STALLED_MS = 30_000;

/** Faults that mean that nothing was sent. */
const UNREACHED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/** What is passed on. */
export interface Forwarding {
  readonly exchange: Exchange;
  readonly endpoint: AnyEndpoint;
  /** Of the message to the service. */
  readonly headers: Record<string, string | string[]>;
}

/** Makes the function that answers an exchange with what a service answers. */
export function createProxy(upstream: Upstream, log: Log): (forwarding: Forwarding) => void {
  const send = createProxyMiddleware<ProxiedRequest>({
    router: (request) => request.replica.target,
    agent: upstream.agent,
    selfHandleResponse: true,
    toProxy: true,
    // The default plugins answer faults in plain text and parse a URL for each log line.
    ejectPlugins: true,
    plugins: [
      (proxy) => {
        proxy.on("proxyRes", (answer, request) => {
          // The types of http-proxy take both for the same kind of message.
          request.onAnswer(answer as unknown as IncomingMessage);
        });
        proxy.on("error", (error, request) => {
          request.onFault(error);
        });
      },
    ],
  });

  return ({ exchange, endpoint, headers }) => {
    const { request, response, requestId } = exchange;
    // The client may have gone, or been told that its request is malformed, while its credential was checked.
    if (response.destroyed || response.headersSent) return;
    const isRead = endpoint.method === "get";
    let answered = false;
    let retried = false;
    let over = false;

    const proxied = createProxiedRequest({
      request,
      headers,
      replica: upstream.choose(),
      withBody: endpoint.body !== undefined,
      onAnswer: relay,
      onFault: (error) => {
        if (!answered && !over) retryOrFail(error);
      },
      onTooMuch: () => {
        fail(new AppError("payload_too_large"));
      },
    });
    const timer = setTimeout(() => {
      fail(new AppError("upstream_timeout"));
    }, HEAD_MS);
    let stalled: NodeJS.Timeout | undefined;
    response.once("close", () => {
      stop();
      proxied.replica.open -= 1;
    });
    proxied.replica.open += 1;
    attempt();

    function attempt(): void {
      void send(proxied, response, (error: unknown) => {
        fail(new AppError("internal_error", {}, error));
      });
    }

    function retryOrFail(error: Error & { code?: string }): void {
      const { replica } = proxied;
      const unreached = UNREACHED.has(error.code ?? "");
      if (unreached) upstream.rest(replica);
      if (isRead && !retried && upstream.hasSeveral()) {
        retried = true;
        replica.open -= 1;
        proxied.replica = upstream.choose(replica);
        proxied.replica.open += 1;
        attempt();
      } else fail(new AppError(unreached ? "unavailable" : "upstream_failed", {}, error));
    }

    function relay(answer: IncomingMessage): void {
      if (over || response.headersSent) {
        answer.destroy();
        return;
      }
      answered = true;
      clearTimeout(timer);
      if (answer.statusCode === 304) {
        sendHeadOnly(response, answer, null);
        return;
      }
      const frame = frameOf(answer, endpoint, requestId);
      if (frame === null) {
        fail(new AppError("upstream_failed", {}, `unusable answer of status ${answer.statusCode}`));
      } else if (request.method === "HEAD") {
        sendHeadOnly(response, answer, frame.length);
      } else {
        stalled = setTimeout(() => {
          fail(new AppError("upstream_timeout"));
        }, STALLED_MS);
        const onProgress = (): void => void stalled?.refresh();
        const onBroken = (): void => {
          fail(new AppError("upstream_failed", {}, "the answer broke off"));
        };
        splice({ answer, response, frame, onProgress, onBroken });
      }
    }

    function fail(error: AppError): void {
      if (over) return;
      stop();
      if (error.code !== "payload_too_large")
        log.warn(
          { request_id: requestId, operation: endpoint.operationId, err: error.cause, code: error.code },
          "no answer",
        );
      sendFailure(exchange, error);
    }

    function stop(): void {
      clearTimeout(timer);
      clearTimeout(stalled);
      if (over) return;
      over = true;
      const { outgoing } = proxied;
      if (outgoing === null || (response.writableFinished && outgoing.writableEnded)) return;
      outgoing.destroy();
      // What is left of the body is read all the same, or the connection could carry no further request.
      request.unpipe(outgoing);
      request.resume();
    }
  };
}
