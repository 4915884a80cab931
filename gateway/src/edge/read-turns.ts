import type { Socket } from "node:net";

// Node reads every readable connection, and parses all requests of what it read (up to 64 KiB), before anything else gets
// its turn. Bursts on many connections would hold up all other clients, and all their requests would be in memory at once.

/** Pipelined requests of all connections that are read in one turn of the event loop; the read that exceeds it ends as it is. */
export const MOST_READ_IN_A_TURN = 1_000;

/** While as many pipelined requests of an address wait, only one of its other connections is read per {@link HELD_MS}. */
export const MOST_WAITING_OF_ADDRESS = 64;
export const HELD_MS = 1_000;

/**
 * Milliseconds between reads of addresses with pipelined requests, per pipelined request read: five times what reading it
 * takes, so that others keep most of the processor.
 */
export const PACE_MS = 0.15;

/** Bounds what is read in one turn of the event loop, and what is read of an address. */
export interface ReadTurns {
  /**
   * A pipelined request was read. After the maximum, the connections of each address are read in the next turns: one at a
   * time and paced of an address with pipelined requests, all of another.
   */
  count(): void;
  /** Pipelined requests of the connection wait, or wait no longer. */
  wait(address: string, change: 1 | -1): void;
  /** Reads a paused connection: at once, or in its turn while many requests of its address wait. */
  read(address: string, socket: Socket): void;
}

/** An address with waiting requests or unread connections. */
interface Client {
  waiting: number;
  /** When a pipelined request of it last began to wait. */
  pipelinedAt: number;
  /** Paused here, in the order in which they are read. */
  readonly unread: Set<Socket>;
}

/** @param open all open connections, with the address of their clients */
export function createReadTurns(open: () => ReadonlyMap<Socket, string>): ReadTurns {
  const clients = new Map<string, Client>();
  let count = 0;
  let isScheduled = false;
  /** Runs while there are unread connections: others at their address may have stopped to read their responses. */
  let timer: NodeJS.Timeout | null = null;
  /** When the next connection of an address with pipelined requests may be read. */
  let paceAt = 0;
  let paceTimer: NodeJS.Timeout | null = null;

  function clientAt(address: string): Client {
    const known = clients.get(address);
    if (known !== undefined) return known;
    const client = { waiting: 0, pipelinedAt: -Infinity, unread: new Set<Socket>() };
    clients.set(address, client);
    return client;
  }

  const isReadable = ({ waiting, unread }: Client): boolean => unread.size > 0 && waiting < MOST_WAITING_OF_ADDRESS;

  function scheduleTurn(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    isScheduled = false;
    count = 0;
    for (const [address, client] of clients) {
      readConnections(client);
      if (isReadable(client)) scheduleTurnAt(paceAt);
      if (client.waiting === 0 && client.unread.size === 0) clients.delete(address);
    }
  }

  function readConnections(client: Client): void {
    const now = performance.now();
    // A client that sends one request at a time on each of its connections must not wait for as many turns.
    const isPaced = now - client.pipelinedAt < HELD_MS;
    if (isPaced && now < paceAt) return;
    const most = isPaced ? 1 : client.unread.size;
    for (let n = 0; n < most && isReadable(client); n++) readNext(client);
  }

  function scheduleTurnAt(time: number): void {
    const wait = time - performance.now();
    if (wait <= 0) scheduleTurn();
    else
      paceTimer ??= setTimeout(() => {
        paceTimer = null;
        scheduleTurn();
      }, wait);
  }

  function readNext({ unread }: Client): void {
    for (const socket of unread) {
      unread.delete(socket);
      if (socket.destroyed) continue;
      socket.resume();
      return;
    }
  }

  function postpone(client: Client, socket: Socket): void {
    client.unread.add(socket);
    timer ??= setTimeout(readHeld, HELD_MS);
  }

  function readHeld(): void {
    timer = null;
    for (const client of clients.values()) {
      readNext(client);
      if (client.unread.size > 0) timer ??= setTimeout(readHeld, HELD_MS);
    }
    scheduleTurn();
  }

  function pauseAll(): void {
    for (const [socket, address] of open()) {
      if (socket.isPaused()) continue;
      socket.pause();
      postpone(clientAt(address), socket);
    }
  }

  return {
    count: () => {
      count++;
      paceAt = Math.max(paceAt, performance.now()) + PACE_MS;
      scheduleTurn();
      if (count === MOST_READ_IN_A_TURN) pauseAll();
    },
    wait: (address, change) => {
      const client = clientAt(address);
      client.waiting += change;
      if (change === 1) client.pipelinedAt = performance.now();
      if (isReadable(client) || client.waiting === 0) scheduleTurn();
    },
    read: (address, socket) => {
      const client = clients.get(address);
      if (client === undefined || client.waiting < MOST_WAITING_OF_ADDRESS) socket.resume();
      else postpone(client, socket);
    },
  };
}
