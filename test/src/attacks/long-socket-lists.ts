import type { Attack, AttackResponse, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat, tally } from "../support/attacks/parts.js";

const LINES = 60_000;
const LISTS = 4;

interface Prepared {
  readonly tenants: readonly Tenant[];
  readonly networkIds: readonly string[];
}

/** All connections are between two machines, and each is of another process to another port, so that all are compared. */
function socketsOf(lines: number): string {
  const list = ["# ss -H -tunap"];
  for (let n = 0; n < lines; n++) {
    const process = `users:(("job${n}",pid=${n + 1},fd=3))`;
    if (n % 4 === 0) list.push(`tcp LISTEN 0 511 0.0.0.0:${1 + n / 4} 0.0.0.0:* ${process}`);
    else
      list.push(
        `tcp ESTAB 0 0 10.0.0.5:${40_000 + (n % 20_000)} 10.0.0.${n % 2 ? 6 : 7}:${1 + (n % 30_000)} ${process}`,
      );
  }
  return `${list.join("\n")}\n`;
}

export const attack: Attack<Prepared> = {
  name: "lists of 60,000 sockets of 60,000 processes between three machines, from two organizations, twice each",
  prepare: async (target) => {
    const tenants = [await target.newTenant(), await target.newTenant()];
    const networks = await Promise.all(tenants.map(createNetwork));
    for (const [n, tenant] of tenants.entries()) {
      const { networkId: network_id, subnetId: subnet_id } = networks[n]!;
      for (const last of [6, 7]) {
        const interfaces = [{ ip_address: `10.0.0.${last}`, subnet_id }];
        await tenant.data("POST", "/api/v1/hosts", { network_id, name: `server ${last}`, interfaces });
      }
    }
    return { tenants, networkIds: networks.map(({ networkId }) => networkId) };
  },
  run: async (_target, { tenants, networkIds }) => {
    const list = socketsOf(LINES);
    const send = (n: number): Promise<AttackResponse> => {
      const path = `/api/v1/imports/ss?network_id=${networkIds[n % 2] ?? ""}&hostname=machine${n}`;
      return tenants[n % 2]!.send("POST", path, list, { "content-type": "application/octet-stream" });
    };
    const responses = await Promise.all(Array.from({ length: LISTS }, (_, n) => send(n)));
    const slowest = Math.max(...responses.map(({ tookMs }) => tookMs));
    const got = `${tally(responses.map(({ status }) => status))} within ${(slowest / 1_000).toFixed(1)} s`;
    expectThat(
      responses.every(({ status }) => [200, 429, 503].includes(status)) &&
        responses.some(({ status }) => status === 200),
      got,
    );
    return got;
  },
};
