import { IDLE } from "@nts/shared/timing";
import { Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { createProxyMiddleware } from "http-proxy-middleware";
import { type Attempt, CONNECT_MS, type Sending, type Transport } from "./transport.js";

// http-proxy-middleware gets the client's request with filtered headers and its body already read. It does not respond
// itself, but hands the service's response to the exchange.

/** Sends with http-proxy-middleware. It cannot send uploads. */
export function createMiddlewareTransport(): Transport {
  // No limit of its own: a request waiting for a connection would be ended before its body is written. Pending calls
  // are bounded earlier.
  const agent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: IDLE.ofForwardingMs });
  Object.assign(agent, { createConnection: connectInTime });
  /** The last attempt of each request, and every attempt by its target. */
  const current = new WeakMap<IncomingMessage, Forwarded>();
  const byTarget = new WeakMap<object, Forwarded>();
  const attemptAt = (target: unknown): Forwarded | undefined =>
    typeof target === "object" && target !== null ? byTarget.get(target) : undefined;
  const proxy = createProxyMiddleware({
    router: (request) => current.get(request)?.target,
    agent,
    selfHandleResponse: true,
    toProxy: true,
    on: {
      proxyReq: (outgoing, _request, _response, { target }) => attemptAt(target)?.begin(outgoing),
      proxyRes: (response, request) => current.get(request)?.read(response),
      error: (error, _request, _response, target) => attemptAt(target)?.fault(error),
    },
  });

  return {
    send: (attempt) => {
      const forwarded = new Forwarded(attempt);
      byTarget.set(forwarded.target, forwarded);
      attempt.exchange.lend((request, response) => {
        current.set(request, forwarded);
        request.headers = { ...attempt.headers, host: attempt.replica.host };
        void proxy(request, response, forwarded.fault);
      });
      return forwarded;
    },
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

function targetOf(origin: string) {
  const { protocol, host, hostname, port } = new URL(origin);
  return { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

/** A connection that is established in time, or fails. */
function connectInTime(options: NetConnectOpts): Socket {
  const socket = connect(options);
  const timer = setTimeout(() => {
    socket.destroy(new Error("the connection was not made in time"));
  }, CONNECT_MS);
  const settle = (): void => {
    clearTimeout(timer);
  };
  return socket.once("connect", settle).once("close", settle);
}

/** A pending request. */
class Forwarded implements Sending {
  readonly target: ReturnType<typeof targetOf>;
  #outgoing: ClientRequest | null = null;
  #response: IncomingMessage | null = null;
  #wasSent = false;
  #isOver = false;

  constructor(private readonly attempt: Attempt) {
    this.target = targetOf(attempt.replica.origin);
  }

  /** It has a socket, which may not be connected yet. */
  begin(outgoing: ClientRequest): void {
    const { body } = this.attempt;
    if (this.#isOver) {
      outgoing.destroy();
      return;
    }
    this.#outgoing = outgoing;
    const sent = (): void => {
      this.#wasSent = true;
    };
    if (outgoing.socket?.connecting === true) outgoing.socket.once("connect", sent);
    else sent();
    if (body instanceof Buffer && body.length > 0) outgoing.write(body);
  }

  read(response: IncomingMessage): void {
    const { reader } = this.attempt;
    if (this.#isOver) {
      response.destroy();
      return;
    }
    this.#response = response;
    const broken = (): void => {
      this.fault(new Error("the response was cut off"));
    };
    response
      .on("data", (piece: Buffer) => {
        if (!this.#isOver && !reader.onData(piece)) response.pause();
      })
      .once("end", () => {
        if (!response.complete) broken();
        else if (!this.#isOver) {
          this.#isOver = true;
          reader.onEnd(response.trailers);
        }
      })
      .once("error", broken)
      .once("close", broken);
    reader.onHead({ status: response.statusCode ?? 0, headers: response.headers });
  }

  readonly fault = (error: unknown): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.attempt.reader.onFault(error as Error, this.#wasSent);
  };

  resume(): void {
    this.#response?.resume();
  }

  abort(): void {
    this.#isOver = true;
    this.#outgoing?.destroy();
  }
}
