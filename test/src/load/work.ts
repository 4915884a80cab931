/** The requests of benchmarks, and the output of results. */
import type { Caller } from "../support/api.js";
import type { Seeded } from "../support/seed.js";
import { aNetworkWithAHost, type Made } from "../support/world.js";
import type { Load } from "./measure.js";

/** Reads of seeded entities: a page, and services one after another. */
export function readsOf(seeded: Seeded): Record<string, Load["requests"]> {
  const some = seeded.serviceIds.filter((_, index) => index % Math.ceil(seeded.serviceIds.length / 500) === 0);
  return {
    page: [{ method: "GET", path: "/api/v1/services" }],
    one: some.map((id) => ({ method: "GET", path: `/api/v1/services/${id}` })),
  };
}

/** Updates of 32 services on 32 hosts that really change their three bindings each time. */
export async function updatesOf(caller: Caller): Promise<Load["requests"]> {
  const requests: { method: "PUT"; path: string; body: string }[] = [];
  for (let n = 0; n < 32; n++) {
    const { host, service } = await aNetworkWithAHost(caller);
    const ports: Made[] = [];
    for (const number of [1, 2, 3])
      ports.push(
        await caller.data<Made>("post", "/api/v1/ports", {
          host_id: host.id,
          network_id: host["network_id"],
          number,
          protocol: "Tcp",
        }),
      );
    const [first] = host["interfaces"] as Made[];
    for (const interface_id of [null, first?.id]) {
      const bindings = ports.map(({ id }) => ({ type: "Port", port_id: id, interface_id }));
      requests.push({
        method: "PUT",
        path: `/api/v1/services/${service.id}`,
        body: JSON.stringify({ ...service, bindings }),
      });
    }
  }
  return requests.sort((a, b) => (a.body.length < b.body.length ? -1 : 1));
}

/** Values with their names, in a row. */
export function listed(values: Readonly<Record<string, number>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** Prints a row of a table. */
export function row(...cells: readonly unknown[]): void {
  console.log(`| ${cells.map(String).join(" | ")} |`);
}
