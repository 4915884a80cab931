import type { AttackResponse, Attack, Tenant } from "./attack.js";
import { createNetwork, tally } from "./parts.js";

const CONCURRENCY = 4;

/** A scan file with this content. */
export function scanWith(inside: string): string {
  return `<?xml version="1.0"?>\n<!DOCTYPE nmaprun>\n<nmaprun scanner="nmap" version="7.93">\n${inside}</nmaprun>\n`;
}

/** A host that is up, with these elements. */
export function hostWith(inside: string): string {
  return `<host><status state="up" reason="arp-response"/>${inside}</host>\n`;
}

/** Sends a scan, as a dry run by default. */
export function sendScan(tenant: Tenant, networkId: string, file: string, isDry = true): Promise<AttackResponse> {
  const path = `/api/v1/imports/nmap?network_id=${networkId}&dry_run=${isDry}`;
  return tenant.send("POST", path, file, { "content-type": "application/xml" });
}

/** Two organizations that send a file concurrently, twice each. */
export function scanAttack(name: string, file: () => string): Attack<() => Promise<AttackResponse[]>> {
  return {
    name,
    prepare: async (target) => {
      const text = file();
      const tenants = [await target.newTenant(), await target.newTenant()];
      const networks = await Promise.all(tenants.map(createNetwork));
      return () =>
        Promise.all(
          Array.from({ length: CONCURRENCY }, (_, n) => sendScan(tenants[n % 2]!, networks[n % 2]!.networkId, text)),
        );
    },
    run: async (_target, send) => {
      const responses = await send();
      const slowest = Math.max(...responses.map(({ tookMs }) => tookMs));
      return `${tally(responses.map(({ status }) => status))} within ${(slowest / 1_000).toFixed(1)} s`;
    },
  };
}
