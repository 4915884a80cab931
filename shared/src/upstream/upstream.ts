import { Agent, request } from "undici";
import { PROBE_PATH } from "../http/probe.js";
import type { Log } from "../log.js";
import { addressesOf, targetOf, type Target } from "./addresses.js";
import { createReplicas, type ProbeResult, type Replica, type Replicas } from "./replicas.js";
import { IDLE } from "../timing.js";

// Tracks a service's replicas: once a second its names are resolved and every replica is probed, on a separate
// connection that calls cannot block.

const EVERY_MS = 1_000;
const PROBE_MS = 1_000;

/** The tracked replicas of a service. */
export interface Upstream extends Pick<Replicas, "call" | "all" | "waiting"> {
  /** Name of the service in logs and metrics. */
  readonly service: string;
  /** Resolves when every name has been looked up once, whatever the result. */
  readonly found: Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  readonly service: string;
  /** Base URLs; a name stands for as many replicas as it has addresses. */
  readonly urls: readonly string[];
  readonly log: Log;
  /** Resolves a name; by default the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

/** Starts tracking the replicas of a service. Those with an address in their URL can be called at once. */
export function createUpstream({ service, urls, log, resolve = addressesOf }: UpstreamOptions): Upstream {
  const replicas = createReplicas(({ origin }, isEjected) => {
    log.warn({ service, replica: origin }, isEjected ? "a replica was ejected" : "a replica is available again");
  });
  const agent = new Agent({ connections: 1, connect: { timeout: PROBE_MS }, keepAliveTimeout: IDLE.ofInternalCallsMs });
  const targets = urls.map((url) => ({ target: targetOf(url), addresses: [] as readonly string[] }));
  const probing = new Set<string>();
  let resolving = false;

  async function findReplicas(): Promise<void> {
    resolving = true;
    for (const one of targets) {
      const { name } = one.target;
      if (name === null) continue;
      try {
        one.addresses = await resolve(name);
      } catch (error) {
        // It keeps its previous addresses.
        log.debug({ err: error, service, name }, "a name could not be resolved");
      }
    }
    resolving = false;
    setReplicas();
  }

  /** A new replica is probed at once, because it gets no calls before its first response. */
  function setReplicas(): void {
    const before = new Set(replicas.all().map(({ origin }) => origin));
    replicas.set(targets.flatMap(({ target, addresses }) => replicasOf(target, addresses)));
    for (const { origin } of replicas.all()) if (!before.has(origin) && !probing.has(origin)) void probe(origin);
  }

  async function probe(origin: string): Promise<void> {
    probing.add(origin);
    const result = await ask(agent, origin);
    probing.delete(origin);
    replicas.probed(origin, result);
  }

  function follow(): void {
    if (!resolving) void findReplicas();
    for (const { origin } of replicas.all()) if (!probing.has(origin)) void probe(origin);
  }

  setReplicas();
  const found = findReplicas();
  const timer = setInterval(follow, EVERY_MS);

  return {
    service,
    found,
    call: replicas.call,
    all: replicas.all,
    waiting: replicas.waiting,
    close: async () => {
      clearInterval(timer);
      await agent.destroy();
    },
  };
}

function replicasOf(target: Target, addresses: readonly string[]): readonly Replica[] {
  return target.name === null ? [target.replica] : addresses.map(target.replicaAt);
}

async function ask(dispatcher: Agent, origin: string): Promise<ProbeResult> {
  try {
    const response = await request(origin + PROBE_PATH, { dispatcher, signal: AbortSignal.timeout(PROBE_MS) });
    await response.body.dump();
    return response.statusCode === 503 ? "unready" : "ready";
  } catch {
    return "nothing";
  }
}
