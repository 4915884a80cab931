import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Turns } from "@nts/shared/http/turns";
import type { Exchange } from "./exchange.js";
import { createPacedQueue } from "./paced-queue.js";
import type { ReadTurns } from "./read-turns.js";

// Handles a few pipelined requests of a connection at a time, paced so that other connections get their turn. Node
// reports a closed connection only to the current response, so all exchanges are ended here.

/** Concurrently handled requests of a connection. */
export const MOST_AT_A_TIME = 4;

/**
 * Maximum waiting requests of all connections. Nothing more is read from a connection while any of its requests wait, but
 * Node parses all requests of one read, which may be 2,500. At the maximum, a connection keeps {@link WAITING_WHEN_FULL}
 * and is closed after them.
 */
export const MOST_WAITING = 6_000;
export const WAITING_WHEN_FULL = 16;

/** Requests that were read beyond that; Node keeps them until their connection is closed, so further ones close it at once. */
export const MOST_DROPPED_IN_ALL = 5_000;

/** Pacing in milliseconds, and waiting requests of all connections started per turn. */
export const TURN_MS = 2;
export const MOST_IN_A_TURN = 2;

type Start = (exchange: Exchange) => void;

/** What all connections of a server share. */
interface Shared {
  /** Requests of all connections. */
  waiting: number;
  dropped: number;
  readonly reads: ReadTurns;
  readonly start: Start;
  /** Starts a request that had to wait. */
  readonly startInTurn: Start;
}

export class Connection {
  /** The last exchange, until it has ended and its request is read completely. */
  last: Exchange | null = null;
  /** Nothing more can be read; each further byte is reported as an error of its own. */
  isBroken = false;
  /** Too many requests wait: it is closed after those, and further ones are dropped. */
  isFull = false;
  readonly #exchanges: Exchange[] = [];
  readonly #waiting: Exchange[] = [];
  #dropped = 0;
  #whenIdle: (() => void) | null = null;

  constructor(
    private readonly socket: Socket,
    private readonly address: string,
    private readonly shared: Shared,
  ) {
    socket.once("close", () => {
      while (this.#waiting.pop() !== undefined) this.#countWaiting(-1);
      this.shared.dropped -= this.#dropped;
      for (const exchange of [...this.#exchanges]) exchange.close();
    });
  }

  add(exchange: Exchange): void {
    if (this.socket.destroyed) return;
    this.last = exchange;
    this.#exchanges.push(exchange);
    if (this.#exchanges.length <= MOST_AT_A_TIME) this.shared.start(exchange);
    else {
      this.shared.reads.count();
      this.#waiting.push(exchange);
      this.#countWaiting(1);
      this.socket.pause();
      if (!this.#hasTooMany()) return;
      this.isFull = true;
      exchange.closeConnection();
    }
  }

  /** A request was read although it is full. */
  drop(request: IncomingMessage): void {
    // Nobody needs to know when its connection closes.
    request.destroyed = true;
    if (this.socket.destroyed) return;
    this.shared.reads.count();
    this.#dropped++;
    this.shared.dropped++;
    if (this.shared.dropped > MOST_DROPPED_IN_ALL) this.socket.destroy();
  }

  #countWaiting(change: 1 | -1): void {
    this.shared.waiting += change;
    this.shared.reads.wait(this.address, change);
  }

  #hasTooMany(): boolean {
    return this.#waiting.length >= WAITING_WHEN_FULL && this.shared.waiting >= MOST_WAITING;
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
      this.#countWaiting(-1);
      if (this.#waiting.length === 0 && !this.isFull) this.shared.reads.read(this.address, this.socket);
      this.shared.startInTurn(next);
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
 * @param addressOf the address of a connection's client
 */
export function createConnections(
  start: Start,
  arriving: Pick<Turns, "begin">,
  reads: ReadTurns,
  addressOf: (socket: Socket) => string,
): Connections {
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
  const shared: Shared = { waiting: 0, dropped: 0, reads, start: startAfterArrivals, startInTurn: paced.add };
  return {
    of: (socket) => {
      const known = connections.get(socket);
      if (known !== undefined) return known;
      const connection = new Connection(socket, addressOf(socket), shared);
      connections.set(socket, connection);
      return connection;
    },
  };
}
