/** Parameters of an import: network, subnets, content type; and rejections of the whole import. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { randomUUID } from "node:crypto";
import {
  anEmptyNetwork,
  hostsOf,
  importFile,
  importScan,
  scanFile,
  scanOf,
  sendScan,
  upHost,
} from "../support/imports.js";
import { scanOfBlock, type Up } from "../support/sightings.js";
import { startTopology, type Topology } from "../support/topology.js";
import { aNetwork } from "../support/topology-world.js";

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology();
});
afterAll(() => topology.stop());

describe("subnets of imported addresses", () => {
  it("are those of the network, otherwise of the hints, otherwise around the address", async () => {
    const { owner, network } = await aNetwork(topology.aCaller());
    const addresses = ["10.0.3.4", "172.16.5.1", "172.20.0.1", "192.168.7.9", "fd00:1::7", "10.77.0.1"];
    const file = scanOf(addresses.map((ip) => upHost(ip)).join(""));
    const hints = { subnet_hint: "172.16.0.0/12,172.16.5.0/25,10.0.3.0/24" };
    const { subnets } = await importScan(owner, network.id, file, hints);
    expect(subnets.map(({ action, cidr }) => `${action} ${cidr}`)).toEqual([
      "existing 10.0.0.0/16",
      "create 172.16.5.0/25",
      "create 172.16.0.0/12",
      "create 192.168.7.0/24",
      "create fd00:1::/64",
      "create 10.77.0.0/24",
    ]);
    const again = await importScan(owner, network.id, file);
    expect(again.subnets.map(({ action }) => action)).toEqual(Array(6).fill("existing"));
  });

  it.each([
    ["an invalid block", "10.0.0.1", "subnet_hint.0"],
    ["host bits", "10.0.0.0/8,10.0.0.1/24", "subnet_hint.1"],
  ])("reject a hint with %s, with its place", async (_what, subnet_hint, path) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const { status, code, params } = await sendScan(owner, { network_id: network, subnet_hint }, scanFile("ping"));
    expect([status, code, (params["errors"] as { path: string }[]).map((one) => one.path)]).toEqual([
      400,
      "validation_failed",
      [path],
    ]);
  });
});

describe("a table whose columns the request explains", () => {
  const table = "Kennung;Netzadresse;Standort, Raum\nnas;192.168.7.20;Keller\n";
  const columns = [
    "Kennung=name",
    "netzadresse=ip_address",
    String.raw`Standort\, Raum=attributes_site`,
    "Other=vendor",
  ];

  it("is imported as it says, and the plan lists its columns", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const plan = await importFile(owner, "auto", { network_id: network, columns: columns.join(",") }, table);
    expect(plan.columns).toEqual([
      { heading: "Kennung", meaning: "name", given: true },
      { heading: "Netzadresse", meaning: "ip_address", given: true },
      { heading: "Standort, Raum", meaning: "attributes_site", given: true },
    ]);
    expect(await hostsOf(owner, network)).toMatchObject([{ name: "nas", attributes: { site: "Keller" } }]);
  });

  it.each([
    ["csv", "Kennung=nothing", "columns.0"],
    ["ss", "Kennung=name", "columns"],
  ])("is rejected for the format %s with %s, with its place", async (format, said, path) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const query = new URLSearchParams({ network_id: network, columns: said }).toString();
    const { status, params } = await owner.raw("post", `/api/v1/imports/${format}?${query}`, Buffer.from(table), {
      "content-type": "application/octet-stream",
    });
    expect([status, (params["errors"] as { path: string }[])[0]?.path]).toEqual([400, path]);
  });
});

describe("a scan that was made earlier", () => {
  const NAS: Up = { ip: "192.168.1.20", mac: "00:11:32:AA:BB:01" };
  const TV: Up = { ip: "192.168.1.150", mac: "00:11:32:AA:BB:02" };
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

  it("counts from its own time on, and overrides nothing later", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const first = daysAgo(21);
    const later = daysAgo(7);
    const scan = (found: readonly Up[], seen_at?: string) =>
      importScan(owner, network, scanOfBlock("192.168.1.0/24", found), seen_at === undefined ? {} : { seen_at });
    const seenOf = async (): Promise<unknown[]> => {
      const tv = (await hostsOf(owner, network)).find(({ interfaces: [one] }) => one?.ip_address === TV.ip);
      return [tv?.seen?.first_at, tv?.seen?.last_at, tv?.missed_since !== null];
    };
    await scan([NAS, TV], first);
    expect(await seenOf()).toEqual([first, first, false]);
    // Both were created since.
    expect((await scan([NAS], later)).missing).toEqual([]);
    expect(await seenOf()).toEqual([first, first, false]);
    const { missing } = await scan([NAS]);
    expect(missing).toMatchObject([{ entity: "Host", seen: { last_at: first } }, { entity: "Interface" }]);
    await scan([NAS, TV], later);
    expect(await seenOf()).toEqual([first, first, true]);
    await scan([NAS, TV]);
    expect((await seenOf())[2]).toBe(false);
  });

  it("does not take the place of the format that found something last", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const { ip, mac = "" } = NAS;
    const neighbour = `${ip} dev eth0 lladdr ${mac} REACHABLE\n`;
    await importFile(owner, "ip-neigh", { network_id }, neighbour);
    const seen_at = daysAgo(1);
    await importFile(owner, "dhcp-leases", { network_id, seen_at }, `0 ${mac} ${ip} * *\n`);
    const seenOf = async () =>
      (await hostsOf(owner, network_id)).flatMap(({ seen, interfaces: [one] }) => [seen, one?.seen]);
    for (const seen of await seenOf()) expect(seen).toMatchObject({ first_at: seen_at, by: "ip-neigh" });
    await importFile(owner, "dhcp-leases", { network_id }, `0 ${mac} ${ip} * *\n`);
    for (const seen of await seenOf()) expect(seen).toMatchObject({ first_at: seen_at, by: "dhcp-leases" });
  });

  it("is rejected when its time is in the future", async () => {
    const { owner, network: network_id } = await anEmptyNetwork(topology.aCaller());
    const { status, params } = await sendScan(
      owner,
      { network_id, seen_at: daysAgo(-1) },
      scanOfBlock("192.168.1.0/24", []),
    );
    expect([status, params]).toEqual([400, { errors: [{ path: "seen_at", message: "must not be in the future" }] }]);
  });
});

describe("an import is rejected as a whole", () => {
  it("when it would create more than 1,000 subnets, with what to do", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const file = (count: number): string =>
      scanOf(Array.from({ length: count }, (_, n) => upHost(`fd00:${n.toString(16)}::1`)).join(""));
    const refused = await sendScan(owner, { network_id: network }, file(1_001));
    expect([refused.status, refused.code, refused.params]).toEqual([
      422,
      "too_many_subnets",
      { planned: 1_001, limit: 1_000 },
    ]);
    expect(await hostsOf(owner, network)).toEqual([]);
    const query = { dry_run: "true" };
    expect((await importScan(owner, network, file(1_000), query)).summary.subnets.create).toBe(1_000);
    const hinted = { ...query, subnet_hint: "fd00::/16" };
    expect((await importScan(owner, network, file(1_001), hinted)).summary.subnets.create).toBe(1);
  });

  it("in a network that the caller may not see, with the words for one that does not exist", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const { network: foreign } = await anEmptyNetwork(topology.aCaller());
    const elsewhere = owner.colleague({ networks: [(await anEmptyNetwork(owner)).network] });
    for (const [caller, network_id] of [
      [owner, randomUUID()],
      [owner, foreign],
      [elsewhere, network],
    ] as const) {
      const { status, code, params } = await sendScan(caller, { network_id }, scanFile("ping"));
      expect([status, code, params]).toEqual([400, "invalid_reference", { path: "network_id" }]);
    }
  });

  it("below the level of a member", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const viewer = await sendScan(owner.colleague({ permission: "Viewer" }), { network_id: network }, scanFile("ping"));
    expect([viewer.status, viewer.code]).toEqual([403, "permission_denied"]);
    const member = owner.colleague({ permission: "Member", networks: [network] });
    expect((await importScan(member, network, scanFile("ping"))).summary.hosts.create).toBe(2);
  });
});

describe("an import is rejected as a whole for its file", () => {
  it.each([
    ["with no network", {}, scanFile("ping"), {}, 400, "validation_failed"],
    [
      "with an unknown parameter",
      { network_id: randomUUID(), force: "true" },
      scanFile("ping"),
      {},
      400,
      "validation_failed",
    ],
    ["as JSON", null, "{}", { "content-type": "application/json" }, 415, "unsupported_media_type"],
    ["with an idempotency key", null, scanFile("ping"), { "idempotency-key": "scan" }, 400, "validation_failed"],
    ["with an empty type", null, scanFile("ping"), { "content-type": "" }, 415, "unsupported_media_type"],
    [
      "in another charset",
      null,
      scanFile("ping"),
      { "content-type": "text/xml; charset=latin1" },
      415,
      "unsupported_media_type",
    ],
    ["that is not well-formed", null, scanOf("<host>"), {}, 400, "validation_failed"],
    ["that is not a scan", null, "<html/>", {}, 400, "validation_failed"],
    [
      "with a document type that declares entities",
      null,
      '<!DOCTYPE nmaprun [<!ENTITY a "b">]><nmaprun/>',
      {},
      400,
      "validation_failed",
    ],
    ["that is nested deeply", null, scanOf("<a>".repeat(40) + "</a>".repeat(40)), {}, 400, "validation_failed"],
    [
      "with one byte too many",
      null,
      scanOf(`<!--${"x".repeat(20_971_520)}-->`).slice(0, 20_971_521),
      {},
      413,
      "payload_too_large",
    ],
  ] as const)("%s", async (_what, query, file, headers, status, code) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const response = await sendScan(owner, query ?? { network_id: network }, file, headers);
    expect([response.status, response.code]).toEqual([status, code]);
    expect(await hostsOf(owner, network)).toEqual([]);
  });
});

describe("the type and size of an import", () => {
  it.each(["text/xml", "Application/XML; charset=UTF-8"])("may not be the type %s", async (type) => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const { status } = await sendScan(owner, { network_id: network }, scanFile("ping"), { "content-type": type });
    expect(status).toBe(200);
  });

  it("may be the maximum number of bytes", async () => {
    const { owner, network } = await anEmptyNetwork(topology.aCaller());
    const end = "</nmaprun>";
    const start = `${scanOf(upHost("10.1.0.1")).slice(0, -end.length - 1)}<!--`;
    const file = `${start}${"x".repeat(20_971_520 - start.length - 3 - end.length)}-->${end}`;
    expect(Buffer.byteLength(file)).toBe(20_971_520);
    expect((await importScan(owner, network, file)).summary.hosts.create).toBe(1);
  });
});
