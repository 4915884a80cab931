import type { Socket } from "node:net";
import type { Exchange } from "./exchange.js";
import { createTurns } from "./turns.js";

// The requests of one connection. A few of them are answered at a time; while others wait, nothing more is read, and their
// turns take their time, so that what comes on other connections comes between. Node tells of a connection's end only to the
// response whose turn it is, so all of its exchanges are ended here.

/** Requests of one connection that are answered at a time. */
export const MOST_AT_A_TIME = 4;

/** Requests that wait behind them, of what had been read already; with more than these the connection is closed. */
export const MOST_WAITING = 64;

/** Milliseconds between turns, and the requests that have waited, on all connections together, which begin in each. */
export const TURN_MS = 2;
export const MOST_IN_A_TURN = 2;

type Start = (exchange: Exchange) => void;

export class Connection {
  /** The last exchange, until it is over and all of its request has been read. */
  last: Exchange | null = null;
  /** Nothing can be read from it any more; each further byte is reported as a fault of its own. */
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

  /** One of its exchanges is over. */
  readonly remove = (exchange: Exchange): void => {
    const place = this.#exchanges.indexOf(exchange);
    if (place === -1) return;
    this.#exchanges.splice(place, 1);
    // An idle connection shall not hold what it was used for last.
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

  /** Does it when everything before has been answered. */
  whenIdle(task: () => void): void {
    if (this.#exchanges.length === 0) task();
    else this.#whenIdle = task;
  }
}

/** The connections of a server. */
export interface Connections {
  of(socket: Socket): Connection;
}

/** @param start begins to answer a request when its turn has come; never throws */
export function createConnections(start: Start): Connections {
  const connections = new WeakMap<Socket, Connection>();
  const turns = createTurns<Exchange>({ turnMs: TURN_MS, most: MOST_IN_A_TURN }, (exchange) => {
    if (exchange.isEnded) return false;
    start(exchange);
    return true;
  });
  return {
    of: (socket) => {
      const known = connections.get(socket);
      if (known !== undefined) return known;
      const connection = new Connection(socket, start, turns.add);
      connections.set(socket, connection);
      return connection;
    },
  };
}
