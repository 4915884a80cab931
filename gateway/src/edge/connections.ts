import type { Socket } from "node:net";
import type { Turns } from "@nts/shared/http/turns";
import type { Exchange } from "./exchange.js";
import { createPacedQueue } from "./paced-queue.js";

// Handles a few pipelined requests of a connection at a time, paced so that other connections get their turn. Node
// reports a closed connection only to the current response, so all exchanges are ended here.

/** Concurrently handled requests of a connection. */
export const MOST_AT_A_TIME = 4;

/** Maximum waiting requests that were already read; beyond it, the connection is closed. */
export const MOST_WAITING = 64;

/** Pacing in milliseconds, and waiting requests of all connections started per turn. */
export const TURN_MS = 2;
export const MOST_IN_A_TURN = 2;

type Start = (exchange: Exchange) => void;

export class Connection {
  /** The last exchange, until it has ended and its request is read completely. */
  last: Exchange | null = null;
  /** Nothing more can be read; each further byte is reported as an error of its own. */
  isBroken = false;
  readonly #exchanges: Exchange[] = [];
  readonly #waiting: Exchange[] = [];
  #whenIdle: (() => void) | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly start: Start,
    private readonly startInTurn: Start,
  ) {
    socket.once("close", () => {
      this.#waiting.length = 0;
      for (const exchange of [...this.#exchanges]) exchange.close();
    });
  }

  add(exchange: Exchange): void {
    if (this.socket.destroyed) return;
    this.last = exchange;
    this.#exchanges.push(exchange);
    if (this.#exchanges.length <= MOST_AT_A_TIME) this.start(exchange);
    else if (this.#waiting.length >= MOST_WAITING) this.socket.destroy();
    else {
      this.#waiting.push(exchange);
      this.socket.pause();
    }
  }

  /** One of its exchanges has ended. */
  readonly remove = (exchange: Exchange): void => {
    const place = this.#exchanges.indexOf(exchange);
    if (place === -1) return;
    this.#exchanges.splice(place, 1);
    // An idle connection should not retain its last exchange.
    if (exchange.request.complete && this.last === exchange) this.last = null;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      if (this.#waiting.length === 0) this.socket.resume();
      this.startInTurn(next);
    }
    if (this.#exchanges.length === 0) this.#whenIdle?.();
  };

  isWaiting(exchange: Exchange): boolean {
    return this.#waiting.includes(exchange);
  }

  /** Runs it once all earlier requests have their responses. */
  whenIdle(task: () => void): void {
    if (this.#exchanges.length === 0) task();
    else this.#whenIdle = task;
  }
}

/** The connections of a server. */
export interface Connections {
  of(socket: Socket): Connection;
}

/**
 * @param start handles a request when its turn has come; never throws
 * @param arriving the turns of new connections, which come first
 */
export function createConnections(start: Start, arriving: Pick<Turns, "begin">): Connections {
  const connections = new WeakMap<Socket, Connection>();
  const startAfterArrivals: Start = (exchange) => {
    arriving.begin(exchange.request.socket, () => {
      if (!exchange.isEnded) start(exchange);
    });
  };
  const paced = createPacedQueue<Exchange>({ turnMs: TURN_MS, most: MOST_IN_A_TURN }, (exchange) => {
    if (exchange.isEnded) return false;
    start(exchange);
    return true;
  });
  return {
    of: (socket) => {
      const known = connections.get(socket);
      if (known !== undefined) return known;
      const connection = new Connection(socket, startAfterArrivals, paced.add);
      connections.set(socket, connection);
      return connection;
    },
  };
}
