import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { boundedCache } from "@nts/shared/bounded-cache";
import { REVOCATION } from "@nts/shared/timing";
import type { GatewayRegistry, LiveGateway } from "../storage/gateways.js";

// Delays the response to a key change until no gateway can accept what it revoked: each has reported the change, on the
// bus or with a lease request at any replica, or its last lease has expired.

const POLL_MS = 50;
/** Maximum gateways remembered; the registry knows the others, too. */
const MOST_GATEWAYS = 1_000;

export interface Acknowledgements {
  /** Records that a gateway has applied every key change up to a number. */
  note(gateway: string, number: number): void;
  /**
   * Resolves when every registered gateway has applied the change or lost its lease. To be called after the commit:
   * gateways that register later already know it. Never rejects.
   */
  wait(number: number): Promise<void>;
}

export function createAcknowledgements(registry: Pick<GatewayRegistry, "live">): Acknowledgements {
  const applied = boundedCache<number>(MOST_GATEWAYS);
  const reports = new EventEmitter().setMaxListeners(0);
  // All changes up to this one have been waited for.
  let settled = -1;

  function note(gateway: string, number: number): void {
    if (number <= (applied.get(gateway) ?? -1)) return;
    applied.set(gateway, number);
    reports.emit("gateway");
  }

  /** Resolves with true when all gateways have applied the change, with false after a timeout. */
  function waitForReports(gateways: readonly LiveGateway[], number: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (all: boolean): void => {
        clearTimeout(timer);
        reports.off("gateway", check);
        resolve(all);
      };
      const check = (): void => {
        if (gateways.every(({ id }) => (applied.get(id) ?? -1) >= number)) done(true);
      };
      const timer = setTimeout(() => {
        done(false);
      }, POLL_MS);
      reports.on("gateway", check);
      check();
    });
  }

  async function allApplied(number: number, limit: AbortSignal): Promise<void> {
    while (!limit.aborted) {
      // Without the database, leases must expire.
      const gateways = await registry.live().catch(() => null);
      for (const gateway of gateways ?? []) note(gateway.id, gateway.applied);
      if (gateways === null) await delay(POLL_MS);
      else if (await waitForReports(gateways, number)) return;
    }
  }

  return {
    note,
    wait: async (number) => {
      if (number <= settled) return;
      const limit = new AbortController();
      const leasesEnded = delay(REVOCATION.leaseMs + REVOCATION.leaseMarginMs, undefined, {
        signal: limit.signal,
      }).catch(() => undefined);
      await Promise.race([allApplied(number, limit.signal), leasesEnded]);
      limit.abort();
      settled = Math.max(settled, number);
    },
  };
}
