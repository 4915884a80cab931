import { Agent } from "node:http";

// The replicas of one service. A request goes to the one with the fewest requests open, and among equals to the next in
// turn. A replica that could not be reached is left out for a second: without requests it would otherwise be chosen first.

const REST_MS = 1_000;

// Shorter than the 65 s that the services keep an unused connection, so that none is closed under a request.
const IDLE_MS = 30_000;

/** One process of a service. */
export interface Replica {
  readonly target: {
    readonly protocol: string;
    readonly host: string;
    readonly hostname: string;
    readonly port: string;
  };
  /** Requests that it has not finished answering. */
  open: number;
  /** `performance.now()` until which it is left out. */
  restsUntil: number;
}

export interface Upstream {
  readonly agent: Agent;
  /** @param other than this one, when there is a choice */
  choose(other?: Replica): Replica;
  /** Leaves a replica out for a while. */
  rest(replica: Replica): void;
  hasSeveral(): boolean;
  close(): void;
}

/** The replicas at the given base URLs, of which there is at least one. */
export function createUpstream(urls: readonly string[]): Upstream {
  const replicas = urls.map(replicaAt);
  const agent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: IDLE_MS });
  let turn = 0;

  return {
    agent,
    choose: (other) => {
      const now = performance.now();
      turn += 1;
      const inTurn = [...replicas.slice(turn % replicas.length), ...replicas.slice(0, turn % replicas.length)];
      return inTurn.reduce((best, next) => {
        if (best === other) return next;
        return next !== other && isBetter(next, best, now) ? next : best;
      });
    },
    rest: (replica) => {
      replica.restsUntil = performance.now() + REST_MS;
    },
    hasSeveral: () => replicas.length > 1,
    close: () => {
      agent.destroy();
    },
  };
}

function isBetter(a: Replica, b: Replica, now: number): boolean {
  const [aRests, bRests] = [a.restsUntil > now, b.restsUntil > now];
  return aRests === bRests ? a.open < b.open : bRests;
}

function replicaAt(url: string): Replica {
  const { protocol, host, hostname, port } = new URL(url);
  return { target: { protocol, host, hostname, port }, open: 0, restsUntil: 0 };
}
