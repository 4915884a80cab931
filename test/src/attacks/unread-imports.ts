import { setTimeout as sleep } from "node:timers/promises";
import { RUNNER_LIMITS } from "@nts/topology/imports/runner";
import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, closeAll, expectThat, headOf } from "../support/attacks/parts.js";
import { hostWith, scanWith, sendScan } from "../support/attacks/scans.js";

const HOSTS = 4_000;
const PORTS = 20;
/** Until all four imports have their slots. */
const STARTED_MS = 2_000;
/** How long they may take to be done. Clients that read nothing are disconnected after 30 seconds. */
const DONE_MS = 20_000;

interface Prepared {
  readonly readers: readonly (readonly [tenant: Tenant, networkId: string])[];
  readonly file: string;
}

/** The result of 23 MB does not fit into the socket buffers. */
function largeScan(): string {
  const ports = Array.from(
    { length: PORTS },
    (_, n) => `<port protocol="tcp" portid="${n + 1}"><state state="open"/></port>`,
  );
  const host = (n: number): string =>
    hostWith(`<address addr="10.1.${n >> 8}.${n & 255}" addrtype="ipv4"/><ports>${ports.join("")}</ports>`);
  return scanWith(Array.from({ length: HOSTS }, (_, n) => host(n)).join(""));
}

export const attack: Attack<Prepared> = {
  name: "four organizations that read nothing of their imports while a fifth one imports",
  prepare: async (target) => {
    const tenants = await Promise.all(Array.from({ length: RUNNER_LIMITS.running }, () => target.newTenant()));
    const readers = await Promise.all(
      tenants.map(async (tenant) => [tenant, (await createNetwork(tenant)).networkId] as const),
    );
    return { readers, file: largeScan() };
  },
  run: async (target, { readers, file }) => {
    const another = await target.newTenant();
    const { networkId } = await createNetwork(another);
    const unread = await Promise.all(
      readers.map(async ([tenant, id]) => {
        const [socket] = await tenant.connect(1, { reads: false });
        const fields = [`Content-Length: ${Buffer.byteLength(file)}`, "Content-Type: application/xml", tenant.keyLine];
        socket!.write(headOf(`POST /api/v1/imports/nmap?network_id=${id}&dry_run=true`, ...fields) + file);
        return socket!;
      }),
    );
    await sleep(STARTED_MS);
    const untilMs = performance.now() + DONE_MS;
    const scan = scanWith(hostWith('<address addr="10.1.2.3" addrtype="ipv4"/>'));
    let { status, code } = await sendScan(another, networkId, scan);
    while (status === 503 && performance.now() < untilMs) ({ status, code } = await sendScan(another, networkId, scan));
    closeAll(unread);
    expectThat(status === 200, `the fifth organization's import got ${status} ${code}`);
    return "nothing that it read";
  },
};
