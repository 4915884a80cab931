import { IDLE } from "@nts/shared/timing";
import { Agent, type Dispatcher } from "undici";
import { uploadedBody } from "../edge/body.js";
import {
  type ResponseReader,
  CONNECT_MS,
  MOST_CONNECTIONS,
  MOST_UPLOADS,
  MOST_WAITING,
  type Sending,
  type Transport,
} from "./transport.js";

/** Sends with undici's dispatch, which avoids streams for requests without a body and for responses. */
export function createDispatchTransport(): Transport {
  const agents = {
    plain: createAgent(MOST_CONNECTIONS),
    upload: createAgent(MOST_UPLOADS),
    waiting: createAgent(MOST_WAITING),
    stream: createAgent(null),
  };

  return {
    send: ({ replica, purpose, exchange: { request }, headers, body, reader }) => {
      const dispatched = new Dispatched(reader);
      const isUpload = body !== null && "limitBytes" in body;
      headers["host"] = replica.host;
      agents[purpose].dispatch(
        {
          origin: replica.origin,
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
      await Promise.all(Object.values(agents).map((agent) => agent.destroy()));
    },
  };
}

/**
 * The connections to each replica. Replicas come and go under new addresses; the agent forgets one when its last
 * connection has closed, and lets its open requests end.
 *
 * @param connections maximum per replica; null if bounded elsewhere
 */
function createAgent(connections: number | null): Agent {
  return new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: IDLE.ofForwardingMs,
    keepAliveMaxTimeout: IDLE.ofForwardingMs,
    // Its own timeouts are off: the caller limits the whole exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
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
