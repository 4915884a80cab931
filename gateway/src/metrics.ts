import { addGauges } from "@nts/shared/metrics";
import type { ReplicaState } from "@nts/shared/upstream/replicas";
import type { Upstream } from "@nts/shared/upstream/upstream";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { KeyCache } from "./authenticate/key-cache.js";
import type { KeyChangeFollower } from "./authenticate/key-changes.js";
import type { Lease } from "./authenticate/lease.js";
import type { VerifierObserver } from "./authenticate/verifier.js";
import type { HolderKind, InFlight } from "./edge/in-flight.js";
import type { PublicServer } from "./edge/public-server.js";
import type { Limiter } from "./rate-limit/limiter.js";

/** Sources of the gauges. */
export interface GatewayState {
  readonly lease: Lease;
  readonly cache: KeyCache;
  readonly limiter: Limiter;
  readonly follower: KeyChangeFollower;
}

/** Adds gauges of the gateway's state. */
export function addStateMetrics(registry: Registry, { lease, cache, limiter, follower }: GatewayState): void {
  addGauges(registry, [
    [
      "nts_rate_limit_local",
      "1 while Redis is unavailable and limits are enforced in this process, else 0.",
      () => Number(limiter.isLocal()),
    ],
    ["nts_key_lease_alive", "1 while cached credentials may be served, else 0.", () => Number(lease.isAlive())],
    [
      "nts_gateway_idle",
      "1 while the gateway is idle, and therefore has no lease, else 0.",
      () => Number(follower.isAtRest()),
    ],
    [
      "nts_identity_last_response_age_seconds",
      "Time since identity last responded to a request for key changes, or since the start if it never has.",
      () => (follower.sinceResponseMs() ?? process.uptime() * 1_000) / 1_000,
    ],
    [
      "nts_gateways_active",
      "Active gateways, which share the limits, as last reported by identity.",
      () => follower.liveGateways(),
    ],
    ["nts_key_cache_entries", "Cached credentials.", () => cache.size()],
  ]);
}

/** Adds gauges of requests in flight. */
export function addInFlightMetrics(registry: Registry, inFlight: InFlight): void {
  addGauges(registry, [
    ["nts_requests_in_flight", "Requests to services in flight.", () => inFlight.requests()],
    ["nts_change_streams_open", "Open change streams.", () => inFlight.streams()],
    ["nts_request_body_bytes", "Bytes of request bodies in memory.", () => inFlight.bytes()],
  ]);
}

/** Notified of requests and connections ended to protect others. */
export interface ProtectionMetrics {
  readonly refused: (of: HolderKind) => void;
  readonly cut: () => void;
  readonly defect: () => void;
}

/** Counts requests and connections ended to protect others. */
export function createProtectionMetrics(registry: Registry): ProtectionMetrics {
  const refused = new Counter({
    name: "nts_in_flight_rejected_total",
    help: "Requests rejected because their user, organization, address (`address` without a credential, `client` with one) or site (`scope`) exceeded its share.",
    labelNames: ["scope"],
    registers: [registry],
  });
  const unread = new Counter({
    name: "nts_responses_aborted_total",
    help: "Responses aborted because the client did not read them.",
    registers: [registry],
  });
  const defects = new Counter({
    name: "nts_unexpected_errors_total",
    help: "Unexpected exceptions, each confined to one request.",
    registers: [registry],
  });
  return {
    refused: (of: HolderKind) => {
      refused.inc({ scope: of });
    },
    cut: () => {
      unread.inc();
    },
    defect: () => {
      defects.inc();
    },
  };
}

/** Adds metrics of open and rejected connections. */
export function addConnectionMetrics(registry: Registry, server: PublicServer): void {
  addGauges(registry, [["nts_connections_open", "Open client connections.", () => server.openConnections()]]);
  new Counter({
    name: "nts_connections_dropped_total",
    help: "Connections closed because there were too many.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(server.droppedConnections());
    },
  });
}

/** Adds metrics of each service and its replicas, as seen by this gateway. */
export function addUpstreamMetrics(registry: Registry, upstreams: readonly Upstream[]): void {
  const ofReplicas = (name: string, help: string, read: (state: ReplicaState) => number): void => {
    new Gauge({
      ...{ name, help, registers: [registry], labelNames: ["service", "replica"] },
      collect() {
        this.reset();
        for (const { service, all } of upstreams)
          for (const state of all()) this.set({ service, replica: state.origin }, read(state));
      },
    });
  };
  ofReplicas("nts_upstream_pending", "Calls in flight at a replica.", ({ pending }) => pending);
  ofReplicas(
    "nts_upstream_ejected",
    "1 while a replica is ejected, because it failed or reports that it is not ready, else 0.",
    ({ isEjected }) => Number(isEjected),
  );
  new Gauge({
    name: "nts_upstream_waiting",
    help: "Calls to a service that are waiting for a response; at most 256.",
    labelNames: ["service"],
    registers: [registry],
    collect() {
      for (const { service, waiting } of upstreams) this.set({ service }, waiting());
    },
  });
}

/** Counts what the verifier does. */
export function createVerifierMetrics(registry: Registry): VerifierObserver {
  const lookups = new Counter({
    name: "nts_key_cache_lookups_total",
    help: "Credential lookups, by result: hit, or miss, which calls identity.",
    labelNames: ["result"],
    registers: [registry],
  });
  const hits = lookups.labels("hit");
  const misses = lookups.labels("miss");
  for (const one of [hits, misses]) one.inc(0);
  const stale = new Counter({
    name: "nts_stale_credentials_total",
    help: "Requests accepted by an earlier verification because identity did not respond.",
    registers: [registry],
  });
  const verifications = new Histogram({
    name: "nts_credential_verification_duration_seconds",
    help: "Time for identity to verify a credential, by outcome: valid, refused, failed.",
    labelNames: ["outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return {
    lookedUp: (found) => {
      (found ? hits : misses).inc();
    },
    verified: (outcome, seconds) => {
      verifications.observe({ outcome }, seconds);
    },
    servedStale: () => {
      stale.inc();
    },
  };
}
