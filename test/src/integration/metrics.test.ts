import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createApiKey } from "@nts/shared/api-key";
import { aKey, anAccount, type Account, callerOf } from "../support/api.js";
import { metricNamesOf, metricOf, samplesOf } from "../support/metrics.js";
import { expressions, metricsIn } from "../support/observability-files.js";
import { type ProcessHandle, startStack, type Stack } from "../support/stack.js";
import { until } from "../support/until.js";
import { aNetworkWithAHost } from "../support/world.js";

/** Of Prometheus, of the exporters that the last group of alerts needs, and of `deploy/backup`. */
const MADE_BY_OTHERS = [
  "up",
  "node_filesystem_avail_bytes",
  "node_filesystem_size_bytes",
  "kubelet_volume_stats_available_bytes",
  "kubelet_volume_stats_capacity_bytes",
  "mongodb_mongod_replset_oplog_head_timestamp",
  "mongodb_mongod_replset_oplog_tail_timestamp",
  "kube_cronjob_status_last_successful_time",
  "nts_backup_last_success_timestamp_seconds",
];

const AS_FILE = { "content-type": "application/octet-stream" };

/** Of an export. */
const EXPORTED = ["nts_certificate_not_after_seconds"];

let stack: Stack;
let account: Account;
let gateway: ProcessHandle;
let topology: ProcessHandle;

beforeAll(async () => {
  const unlimited = {
    ...{ RATE_LIMIT_BURST: "1000", ANONYMOUS_RATE_LIMIT_BURST: "1000", INVENTORY_METRICS: "yes" },
    ...{ AT_SERVICES_PER_USER: "1000", AT_SERVICES_PER_ORGANIZATION: "1000", ORGANIZATION_OPERATIONS: "1000" },
  };
  stack = await startStack({ ownMongod: true, env: unlimited });
  [gateway, topology] = [stack.gateways[0]!, stack.topologies[0]!];
  account = await anAccount(stack.url);
});

afterAll(async () => {
  await stack.stop();
});

const all = (): ProcessHandle[] => [...stack.gateways, ...stack.identities, ...stack.topologies];

/** The increase of a metric during a task; an absent one counts as 0. */
async function growth(
  [process, name, labels]: Parameters<typeof metricOf>,
  task: () => Promise<unknown>,
): Promise<number> {
  const read = (): Promise<number> => metricOf(process, name, labels).catch(() => 0);
  const before = await read();
  await task();
  return (await read()) - before;
}

// First, because counts are some seconds apart.
describe("the metrics: the inventory", () => {
  it("are those of the export for a key from the first scrape, if the operator asks for them", async () => {
    const { network } = await aNetworkWithAHost(account.session);
    const seen = "10.0.0.9 dev eth0 lladdr 52:54:00:12:34:56 REACHABLE\n";
    await account.session.send("post", `/api/v1/imports/ip-neigh?network_id=${network.id}`, seen, AS_FILE);
    expect(await metricOf(topology, "nts_inventory_hosts", { network_id: network.id })).toBe(3);
    const { text } = await account.session.send("get", "/api/v1/exports/metrics");
    const exported = [...text.matchAll(/^(nts_inventory_\w+)\{network="Home",.*\} (\d+)$/gm)];
    expect(exported.map(([, name, value]) => [name, Number(value)])).toEqual(
      expect.arrayContaining([
        ["nts_inventory_hosts", 3],
        ["nts_inventory_strangers", 1],
        ["nts_inventory_services", 1],
      ]),
    );
    for (const [, name = "", value] of exported)
      expect([name, await metricOf(topology, name, { network_id: network.id })]).toEqual([name, Number(value)]);
  });
});

describe("the internal port of every process", () => {
  it.each(["/livez", "/readyz"])("returns 200 for %s", async (path) => {
    for (const { opsUrl } of all()) expect((await fetch(opsUrl + path)).status).toBe(200);
  });

  it("is separate from that of the API, on which these paths are unknown or rejected", async () => {
    for (const path of ["/livez", "/readyz", "/metrics"])
      for (const { url } of all()) expect((await fetch(url + path)).status).not.toBe(200);
  });

  it("reports version, event loop lag, memory, descriptors, the log and the bus", async () => {
    for (const process of all()) {
      const names = (await samplesOf(process)).map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining([
          "nts_build_info",
          "nodejs_eventloop_lag_p99_seconds",
          "process_resident_memory_bytes",
          "process_open_fds",
          "nts_log_lines_dropped_total",
          "nts_bus_connected",
        ]),
      );
    }
  });
});

describe("the dashboard and the alert rules", () => {
  it("query existing metrics", async () => {
    const known = new Set([...MADE_BY_OTHERS, ...EXPORTED]);
    for (const process of all()) for (const name of await metricNamesOf(process)) known.add(name);
    expect(expressions.flatMap(metricsIn).filter((name) => !known.has(name))).toEqual([]);
  });
});

describe("the metrics: the journal", () => {
  it("have its age without any traffic, which grows when it cannot be recorded", async () => {
    const age = () => metricOf(topology, "nts_journal_position_age_seconds");
    await until(async () => (await age()) < 10);
    await until(async () => (await metricOf(topology, "nts_journal_read_age_seconds")) < 15);
    expect(await metricOf(topology, "nts_journal_set_aside_entities")).toBe(0);
    stack.servers.mongodb!.pause();
    try {
      const before = await age();
      await until(async () => (await age()) > before + 1);
    } finally {
      stack.servers.mongodb!.resume();
    }
    await until(async () => (await age()) < 10);
  });
});

describe("the metrics: requests and credentials", () => {
  it("count requests by method, route and status, at the gateway and at the service", async () => {
    const count = "http_server_request_duration_seconds_count";
    const of = (http_route: string, http_response_status_code: string, http_request_method = "GET") => ({
      ...{ http_request_method, http_route, http_response_status_code },
    });
    const read = () => account.session.send("get", "/api/v1/networks");
    for (const process of [gateway, topology])
      expect(await growth([process, count, of("/api/v1/networks", "200")], read)).toBe(1);
    const fail = () => account.session.send("get", "/api/v1/networks/nothing");
    for (const process of [gateway, topology])
      expect(await growth([process, count, of("/api/v1/networks/{id}", "400")], fail)).toBe(1);
    const miss = () => callerOf(stack.url, "nobody").send("get", "/api/v1/nothing");
    expect(await growth([gateway, count, { http_response_status_code: "404" }], miss)).toBe(1);
    const samples = await samplesOf(gateway);
    expect(
      samples.filter(({ labels }) => labels["http_response_status_code"] === "404" && "http_route" in labels),
    ).toEqual([]);
    const madeUp = () => fetch(`${stack.url}/api/v1/networks`, { method: "PROPFIND" });
    expect(await growth([gateway, count, { http_request_method: "_OTHER" }], madeUp)).toBe(1);
  });

  it("report hits and misses of the key cache, and the duration of lookups, by result", async () => {
    const key = await aKey(stack.url, account);
    const lookups = "nts_key_cache_lookups_total";
    const lookupCount = "nts_credential_verification_duration_seconds_count";
    const use = () => key.caller.data("get", "/api/v1/networks");
    expect(await growth([gateway, lookups, { result: "miss" }], use)).toBe(1);
    expect(await growth([gateway, lookups, { result: "hit" }], use)).toBe(1);
    expect(await growth([gateway, lookupCount], use)).toBe(0);
    const other = await aKey(stack.url, account);
    expect(
      await growth([gateway, lookupCount, { outcome: "valid" }], () => other.caller.send("get", "/api/v1/tags")),
    ).toBe(1);
    const unknown = callerOf(stack.url, "nobody", { authorization: `Bearer ${createApiKey().secret}` });
    expect(
      await growth([gateway, lookupCount, { outcome: "refused" }], () => unknown.send("get", "/api/v1/tags")),
    ).toBe(1);
  });

  it("report an unavailable identity: failed lookups, stale credentials, the lease", async () => {
    const [identity] = stack.identities;
    await account.session.data("get", "/api/v1/networks");
    await until(async () => (await metricOf(gateway, "nts_identity_last_response_age_seconds")) < 5);
    identity!.pause();
    try {
      await until(async () => (await metricOf(gateway, "nts_key_lease_alive")) === 0);
      const use = () => account.session.data("get", "/api/v1/networks");
      expect(await growth([gateway, "nts_stale_credentials_total"], use)).toBe(1);
      const failed = [gateway, "nts_credential_verification_duration_seconds_count", { outcome: "failed" }] as const;
      expect(await growth([...failed], use)).toBe(1);
      expect(await metricOf(gateway, "nts_identity_last_response_age_seconds")).toBeGreaterThan(1);
    } finally {
      identity!.resume();
    }
    await until(async () => {
      await account.session.data("get", "/api/v1/networks"); // an idle gateway has no lease
      return (await metricOf(gateway, "nts_key_lease_alive")) === 1;
    });
  });
});

describe("the metrics: connections", () => {
  it("report connections to MongoDB that are open, in use, and waited for", async () => {
    const identity = stack.identities[0]!;
    const pool = async () => ({
      size: await metricOf(identity, "nts_mongodb_pool_size"),
      checkedOut: await metricOf(identity, "nts_mongodb_pool_checked_out"),
      waiting: await metricOf(identity, "nts_mongodb_pool_waiting"),
    });
    const limit = await metricOf(identity, "nts_mongodb_pool_limit");
    expect(limit).toBeGreaterThan(1);
    const read = () => account.session.send("get", "/api/v1/organizations");
    await Promise.all(Array.from({ length: 2 * limit }, read)); // opens connections, which needs an answering server
    await until(async () => (await pool()).checkedOut === 0);
    const { size } = await pool();
    stack.servers.mongodb!.pause();
    const waiting = Promise.all(Array.from({ length: 2 * limit }, read));
    try {
      await until(async () => (await pool()).waiting >= limit);
      expect((await pool()).checkedOut).toBeLessThanOrEqual(limit);
      expect((await pool()).checkedOut).toBeGreaterThanOrEqual(size);
      // Slow is not unavailable: no process stops being ready.
      for (const process of all()) expect((await fetch(`${process.opsUrl}/readyz`)).status).toBe(200);
    } finally {
      stack.servers.mongodb!.resume();
    }
    await waiting;
    await until(async () => (await pool()).checkedOut === 0);
    expect(await pool()).toMatchObject({ waiting: 0 });
  });

  it("report whether the bus is connected", async () => {
    await stack.servers.nats.kill();
    for (const process of all()) await until(async () => (await metricOf(process, "nts_bus_connected")) === 0);
    await stack.servers.nats.restart();
    for (const process of all()) await until(async () => (await metricOf(process, "nts_bus_connected")) === 1);
  });
});
