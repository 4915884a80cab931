import type { Replica } from "@nts/shared/upstream/replicas";
import { type Dispatcher, Pool } from "undici";
import { uploadedBody } from "../edge/body.js";
import {
  type ResponseReader,
  CONNECT_MS,
  IDLE_MS,
  MOST_CONNECTIONS,
  MOST_UPLOADS,
  MOST_WAITING,
  type Sending,
  type Transport,
} from "./transport.js";

/** Sends with undici's dispatch, which avoids streams for requests without a body and for responses. */
export function createDispatchTransport(): Transport {
  const pools = {
    plain: createPools(MOST_CONNECTIONS),
    upload: createPools(MOST_UPLOADS),
    waiting: createPools(MOST_WAITING),
    stream: createPools(null),
  };

  return {
    send: ({ replica, purpose, exchange: { request }, headers, body, reader }) => {
      const dispatched = new Dispatched(reader);
      const isUpload = body !== null && "limitBytes" in body;
      headers["host"] = replica.host;
      pools[purpose].of(replica).dispatch(
        {
          path: request.url ?? "/",
          method: request.method ?? "GET",
          headers,
          body: isUpload ? uploadedBody(request, body) : body,
        },
        dispatched,
      );
      return dispatched;
    },
    close: async () => {
      await Promise.all(Object.values(pools).map((one) => one.close()));
    },
  };
}

/** The connections to each replica. @param connections maximum per replica; null if bounded elsewhere */
function createPools(connections: number | null) {
  // Its own timeouts are off: the caller limits the whole exchange.
  const options: Pool.Options = {
    connections,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const pools = new Map<string, Pool>();
  return {
    of: ({ origin }: Replica): Pool => {
      const known = pools.get(origin);
      if (known !== undefined) return known;
      const pool = new Pool(origin, options);
      pools.set(origin, pool);
      return pool;
    },
    close: () => Promise.all([...pools.values()].map((pool) => pool.destroy())),
  };
}

/** A pending request. A class, because a closure per method and request would cost more than their work. */
class Dispatched implements Dispatcher.DispatchHandler, Sending {
  #started: Dispatcher.DispatchController | null = null;
  #isOver = false;

  constructor(private readonly reader: ResponseReader) {}

  /** Called when a connection is assigned, just before the first byte is sent. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#started = controller;
    if (this.#isOver) controller.abort(new Error("no longer wanted"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx is informational.
    if (!this.#isOver && status >= 200) this.reader.onHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (!this.#isOver && !this.reader.onData(piece)) controller.pause();
  }

  onResponseEnd(
    _controller: Dispatcher.DispatchController,
    trailers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.reader.onEnd(trailers);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.reader.onFault(error, this.#started !== null);
  }

  resume(): void {
    this.#started?.resume();
  }

  abort(): void {
    this.#isOver = true;
    this.#started?.abort(new Error("no longer wanted"));
  }
}
