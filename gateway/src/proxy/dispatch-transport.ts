import type { Replica } from "@nts/shared/upstream/replicas";
import { type Dispatcher, Pool } from "undici";
import { countedBody } from "../edge/body.js";
import { type Attempt, CONNECT_MS, IDLE_MS, MOST_CONNECTIONS, type Sending, type Transport } from "./transport.js";

/** Sends by undici's dispatch, which makes no streams of requests without a body and of answers. */
export function createDispatchTransport(): Transport {
  // Its own time limits are off: whoever sends has one for the whole.
  const options: Pool.Options = {
    connections: MOST_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const pools = new Map<string, Pool>();

  function poolOf({ origin }: Replica): Pool {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, options);
    pools.set(origin, pool);
    return pool;
  }

  return {
    send: (attempt) => {
      const { replica, request, headers, withBody } = attempt;
      const answer = createAnswer(attempt);
      headers["host"] = replica.host;
      poolOf(replica).dispatch(
        {
          path: request.url ?? "/",
          method: request.method ?? "GET",
          headers,
          body: withBody ? countedBody(request) : null,
        },
        answer.handler,
      );
      return answer.sending;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function createAnswer({ onHead, onData, onEnd, onFault }: Attempt): {
  handler: Dispatcher.DispatchHandler;
  sending: Sending;
} {
  let started: Dispatcher.DispatchController | null = null;
  let isOver = false;
  return {
    handler: {
      // Said when a connection has been found, just before the first byte leaves.
      onRequestStart: (controller) => {
        started = controller;
        if (isOver) controller.abort(new Error("no longer wanted"));
      },
      onResponseStart: (_controller, status, headers) => {
        // 1xx speaks of what is still to come.
        if (!isOver && status >= 200) onHead({ status, headers });
      },
      onResponseData: (controller, piece) => {
        if (!isOver && !onData(piece)) controller.pause();
      },
      onResponseEnd: (_controller, trailers) => {
        if (isOver) return;
        isOver = true;
        onEnd(trailers);
      },
      onResponseError: (_controller, error) => {
        if (isOver) return;
        isOver = true;
        onFault(error, started !== null);
      },
    },
    sending: {
      resume: () => started?.resume(),
      abort: () => {
        isOver = true;
        started?.abort(new Error("no longer wanted"));
      },
    },
  };
}
