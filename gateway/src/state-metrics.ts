import { Gauge, type Registry } from "prom-client";
import type { KeyCache } from "./authenticate/key-cache.js";
import type { Lease } from "./authenticate/lease.js";
import type { Limiter } from "./rate-limit/limiter.js";

/** Adds what the gateway's state is at the moment of asking. */
export function addStateMetrics(
  registry: Registry,
  state: { readonly lease: Lease; readonly cache: KeyCache; readonly limiter: Limiter },
): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge("nts_rate_limit_local", "1 while Redis is away and limits are enforced in this process, else 0.", () =>
    Number(state.limiter.isLocal()),
  );
  gauge("nts_key_lease_alive", "1 while remembered credentials may be served, else 0.", () =>
    Number(state.lease.isAlive()),
  );
  gauge("nts_key_cache_entries", "Credentials that are remembered.", () => state.cache.size());
}
