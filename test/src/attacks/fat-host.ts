import type { Attack, Tenant } from "../support/attacks/attack.js";
import { createNetwork, expectThat } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

interface Prepared {
  readonly tenant: Tenant;
  readonly hostId: string;
}

/** A host of the maximum size: more than the 16 MB of a database document, under lenient limits. */
export const attack: Attack<Prepared> = {
  name: "lists of hosts of which one has as many bytes as are allowed",
  prepare: async (target) => {
    const tenant = await target.newTenant();
    const { networkId } = await createNetwork(tenant);
    const { id: hostId } = await tenant.data("POST", "/api/v1/hosts", { network_id: networkId, name: "fat" });
    const bodyOf = (text: string): object => ({
      ...{ network_id: networkId, host_id: hostId, name: "fat", service_definition: "nginx" },
      virtualization: { type: "vm", details: { text } },
    });
    // If details are measured in characters, three-byte ones give the largest size.
    const isByCharacters = (await tenant.send("POST", "/api/v1/services", bodyOf("字".repeat(16_300)))).status === 200;
    const [text, count] = isByCharacters ? ["字".repeat(16_300), 347] : ["x".repeat(16_300), 1_000];
    await mapConcurrently(count, 4, () => tenant.send("POST", "/api/v1/services", bodyOf(text)));
    return { tenant, hostId };
  },
  run: async (_target, { tenant, hostId }) => {
    const paths = [
      "/api/v1/hosts",
      "/api/v1/hosts?limit=0",
      `/api/v1/hosts/${hostId}`,
      "/api/v1/topology",
      "/api/v1/services",
    ];
    const responses = await Promise.all(paths.map((path) => tenant.send("GET", path)));
    const got = paths.map((path, n) => `${path.replace(hostId, "{id}")} ${responses[n]?.status ?? 0}`).join(", ");
    expectThat(
      responses.every(({ status }) => status === 200),
      got,
    );
    const bytes = responses.reduce((sum, { text }) => sum + text.length, 0);
    return `${got}; ${(bytes / 1e6).toFixed(0)} MB`;
  },
};
