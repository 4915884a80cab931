import type { Bus } from "@nts/shared/bus/bus";
import {
  getShareFrame,
  pullKeyChanges,
  recordKeyUses,
  verifyCredential,
  verifyShareSecret,
} from "@nts/shared/contract/internal";
import { createInternalClient, type InternalClient } from "@nts/shared/upstream/internal-client";
import type { Principal } from "@nts/shared/http/tenancy";
import type { Log } from "@nts/shared/log";
import type { Upstream } from "@nts/shared/upstream/upstream";
import { DEADLINES, REVOCATION } from "@nts/shared/timing";
import { systemClock as clock } from "./clock.js";
import { createStreams, type Streams } from "./open-streams.js";
import { createChangeLog } from "./change-log.js";
import { createKeyCache, type KeyCache } from "./key-cache.js";
import { followKeyChanges, type KeyChangeFollower } from "./key-changes.js";
import { createKeyUses, type KeyUses } from "./key-uses.js";
import { createLease, type Lease } from "./lease.js";
import { createFramesOf, type FramesOf } from "./share-frames.js";
import { createVerifier, type Verifier, type VerifierObserver } from "./verifier.js";

const KEY_USES_MS = 1_000;

/** The gateway's cached credentials and their updates. */
export interface Credentials {
  readonly verifier: Verifier;
  readonly follower: KeyChangeFollower;
  readonly keyUses: KeyUses;
  readonly lease: Lease;
  readonly cache: KeyCache;
  /** Called for each change before it is acknowledged. */
  readonly streams: Streams;
  readonly framesOf: FramesOf;
  /** Identity, for what must not be repeated. */
  readonly tokens: Pick<InternalClient, "ask">;
  /** Closes the connections to identity. */
  close(): Promise<void>;
}

export interface CredentialsOptions {
  /** Credentials that are verified at a time. */
  readonly mostVerifications: number;
  /** For which a verified credential is accepted while identity does not respond. */
  readonly staleSeconds: number;
  readonly gatewayId: string;
  readonly upstream: Upstream;
  readonly sign: (principal: Principal) => string;
  readonly bus: Bus;
  readonly observer: VerifierObserver;
  readonly log: Log;
}

/** Starts following changes of rights. */
export function startCredentials(options: CredentialsOptions): Credentials {
  const { mostVerifications, staleSeconds, gatewayId, upstream, sign, bus, observer, log } = options;
  const checks = createInternalClient({
    upstream,
    sign,
    timeoutMs: DEADLINES.verifyMs,
    lastTimeoutMs: DEADLINES.lastVerifyMs,
  });
  const pulls = createInternalClient({ upstream, sign, timeoutMs: REVOCATION.pollMs });
  const patientPulls = createInternalClient({ upstream, sign, timeoutMs: DEADLINES.lastVerifyMs });
  const pullsOf = (isPatient: boolean) => (isPatient ? patientPulls : pulls);
  const reports = createInternalClient({ upstream, sign, timeoutMs: KEY_USES_MS });

  const tokens = createInternalClient({ upstream, sign, timeoutMs: DEADLINES.gatewayMs, once: true });

  const lease = createLease(clock);
  const changes = createChangeLog();
  const cache = createKeyCache(clock);
  const streams = createStreams();
  const verifier = createVerifier({
    ask: ({ kind, hash }, cause) =>
      kind === "share"
        ? checks.ask(verifyShareSecret, { body: { hash }, cause })
        : checks.ask(verifyCredential, { body: { kind, hash }, cause }),
    atATime: mostVerifications,
    staleMs: staleSeconds * 1_000,
    ...{ cache, lease, changes, clock, log, observer },
  });
  const follower = followKeyChanges({
    pull: (after, gateway, isPatient) => pullsOf(isPatient).ask(pullKeyChanges, { query: { after, gateway } }),
    pullAtRest: (after, gateway, isPatient) =>
      pullsOf(isPatient).ask(pullKeyChanges, { query: { after, gateway, leaving: true } }),
    hasStreams: streams.areOpen,
    verifier: {
      forget: (subjects) => {
        verifier.forget(subjects);
        streams.forget(subjects);
      },
      forgetAll: () => {
        verifier.forgetAll();
        streams.forget(null);
      },
    },
    ...{ gatewayId, changes, lease, bus, clock, log },
  });
  const keyUses = createKeyUses(gatewayId, (report) => reports.ask(recordKeyUses, { body: report }), log);
  const framesOf = createFramesOf((id, cause) => checks.ask(getShareFrame, { params: { id }, cause }), log);
  return {
    ...{ verifier, follower, keyUses, lease, cache, streams, framesOf, tokens },
    close: async () => {
      await Promise.all([checks, pulls, patientPulls, reports, tokens].map((client) => client.close()));
    },
  };
}
