import type { Socket } from "node:net";
import { putUnder } from "@nts/shared/groups";

// Node reads every readable connection, and parses all requests of what it read (up to 64 KiB), before anything else gets
// its turn. Bursts on many connections would hold up all other clients, and all their requests would be in memory at once.

/** Pipelined requests of all connections that are read in one turn of the event loop; the read that exceeds it ends as it is. */
export const MOST_READ_IN_A_TURN = 1_000;

/** Bounds what is read in one turn of the event loop. */
export interface ReadTurns {
  /** A pipelined request was read. After the maximum, one connection of each address is read in each turn. */
  count(): void;
}

/** @param open all open connections, with the address of their clients */
export function createReadTurns(open: () => ReadonlyMap<Socket, string>): ReadTurns {
  const paused = new Map<string, Socket[]>();
  let count = 0;

  function nextTurn(): void {
    count = 0;
    for (const [address, sockets] of paused) {
      sockets.shift()?.resume();
      if (sockets.length === 0) paused.delete(address);
    }
    if (paused.size > 0) setImmediate(nextTurn);
  }

  function pauseAll(): void {
    for (const [socket, address] of open()) {
      if (socket.isPaused()) continue;
      socket.pause();
      putUnder(paused, address, socket);
    }
  }

  return {
    count: () => {
      count++;
      if (count === 1 && paused.size === 0) setImmediate(nextTurn);
      if (count === MOST_READ_IN_A_TURN) pauseAll();
    },
  };
}
