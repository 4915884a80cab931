/** Exports for other tools: permissions, caching, and the round trip of a table. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteHosts,
  createHost,
  createSubnet,
  createTag,
  type Host,
  ImportPlan,
  listHosts,
  patchHost,
} from "@nts/shared/contract";
import { ARCHIVE_PATH } from "../support/archives.js";
import { waitForJournal } from "../support/moments.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, aService, onPort, type World } from "../support/topology-world.js";

/** The journal usually records a write before it is asked; a few are not. */
const WRITES = 20;

let topology: Topology;
beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(() => topology.stop());

interface File {
  readonly text: string;
  readonly etag: string;
}

async function exported(caller: Caller, format: string, query = ""): Promise<File> {
  const { status, text, headers } = await caller.raw("get", `/api/v1/exports/${format}${query}`);
  expect([format, status, text.slice(0, status === 200 ? 0 : 500)]).toEqual([format, 200, ""]);
  return { text, etag: String(headers["etag"]) };
}

/** A host at an address with a service on its port 443, on all interfaces. */
async function aServer({ owner, network, subnet }: World, name: string, ip_address = "10.0.0.1"): Promise<Host> {
  const host = await owner.call(createHost, {
    body: {
      ...{ network_id: network.id, name, interfaces: [{ ip_address, subnet_id: subnet.id }] },
      ports: [{ number: 443, protocol: "Tcp" }],
    },
  });
  await aService({ owner }, host, { bindings: [onPort(host.ports[0])] });
  return host;
}

const FORMATS = [
  "prometheus",
  "ansible",
  "hosts",
  "dns?zone=home.example",
  "homepage",
  "gatus",
  "uptime-kuma",
  "netbox?table=devices",
  "drawio",
  "csv?resource=services",
];

describe("an export: contents", () => {
  it("are the hosts of all networks that the caller may see, of one, or with some tags", async () => {
    const owner = topology.aCaller();
    const worlds = [await aNetwork(owner, "One"), await aNetwork(owner, "Two")] as const;
    const tag = await owner.call(createTag, { body: { name: "web" } });
    await aServer(worlds[0], "first");
    const { id } = await aServer(worlds[1], "second");
    const more = { role: "Nas" as const, attributes: { rack: "A3", height: 2 } };
    await owner.call(patchHost, { params: { id }, body: { tags: [tag.id], ...more } });
    const one = owner.restrictedTo([worlds[0].network.id]);
    const seen = async (caller: Caller, format: string, query = ""): Promise<string[]> => {
      const separator = format.includes("?") ? "&" : "?";
      const { text } = await exported(caller, format, query === "" ? "" : separator + query);
      return ["first", "second"].filter((name) => text.includes(name));
    };
    for (const format of FORMATS) {
      expect([format, await seen(owner, format)]).toEqual([format, ["first", "second"]]);
      expect([format, await seen(one, format)]).toEqual([format, ["first"]]);
      expect([format, await seen(owner, format, `network_id=${worlds[1].network.id}`)]).toEqual([format, ["second"]]);
      expect([format, await seen(one, format, `network_id=${worlds[1].network.id}`)]).toEqual([format, []]);
      expect([format, await seen(owner, format, `tag_ids=${tag.id}`)]).toEqual([format, ["second"]]);
      for (const query of [
        `role=Nas`,
        `attribute=rack:A3&attribute=height`,
        `tag_ids=${tag.id}&role=Nas&attribute=rack`,
      ])
        expect([format, query, await seen(owner, format, query)]).toEqual([format, query, ["second"]]);
      expect([format, await seen(owner, format, "role=Printer")]).toEqual([format, []]);
      expect([format, await seen(topology.aCaller(), format)]).toEqual([format, []]);
    }
    const { all } = JSON.parse((await exported(owner, "ansible")).text) as { all: { children: object } };
    expect(Object.keys(all.children)).toEqual(["network_one", "service_nginx", "network_two", "tag_web", "role_nas"]);
  });

  it("contain as a drawing each host once, in the subnet of its first interface or outside of subnets", async () => {
    const world = await aNetwork(topology.aCaller(), "One");
    const { owner, network, subnet } = world;
    const other = await owner.call(createSubnet, {
      body: { network_id: network.id, cidr: "10.1.0.0/24", name: "Other" },
    });
    const network_id = network.id;
    const firstOf = { ip_address: "10.0.0.1", subnet_id: subnet.id };
    const interfaces = [firstOf, { ip_address: "10.1.0.1", subnet_id: other.id }];
    const router = await owner.call(createHost, { body: { network_id, name: "router", interfaces } });
    const bare = await owner.call(createHost, { body: { network_id, name: "bare" } });
    const { text } = await exported(owner, "drawio");
    const cell = (id: string): string =>
      text
        .split("\n")
        .filter((line) => line.startsWith(`<mxCell id="${id}"`))
        .join("");
    expect(cell(router.id)).toContain(`parent="${subnet.id}"`);
    expect(cell(router.interfaces[1]?.id ?? "")).toContain(`source="${router.id}" target="${other.id}"`);
    expect(cell(bare.id)).toContain(`parent="rest-${network.id}"`);
    // The label of the network, both subnets, and the hosts without an address.
    expect(text.match(/vertex="1" parent="1"/g)).toHaveLength(4);
  });
});

describe("exports that a client already has", () => {
  const PATHS = ["/api/v1/exports/hosts", ARCHIVE_PATH];
  const etagOf = async (caller: Caller, path: string): Promise<string> =>
    String((await caller.raw("get", path)).headers["etag"]);
  const holding = async (caller: Caller, path: string, etag: string): Promise<number> =>
    (await caller.raw("get", path, undefined, { "if-none-match": etag })).status;

  it.each(PATHS)("are 304 while nothing has changed, and not after a write that was answered: %s", async (path) => {
    const { owner } = await aNetwork(topology.aCaller());
    for (let n = 0; n < WRITES; n++) {
      await owner.call(createTag, { body: { name: `tag ${n}` } });
      await waitForJournal(owner);
      const etag = await etagOf(owner, path);
      expect(await holding(owner, path, etag)).toBe(304);
      await owner.call(createTag, { body: { name: `another tag ${n}` } });
      expect([n, await holding(owner, path, etag)]).toEqual([n, 200]);
    }
  });

  it.each(PATHS)("are not 304 to a caller who may see more networks or fewer, however old: %s", async (path) => {
    const owner = topology.aCaller();
    const older = (await aNetwork(owner, "Older")).network.id;
    const newer = (await aNetwork(owner, "Newer")).network.id;
    await waitForJournal(owner);
    const callers = [[newer], [older, newer], [newer, older]].map((networks) => owner.restrictedTo(networks));
    const [some, all, same] = callers as [Caller, Caller, Caller];
    const fewer = await etagOf(some, path);
    const more = await etagOf(all, path);
    expect([await holding(all, path, fewer), await holding(some, path, more)]).toEqual([200, 200]);
    expect([await holding(some, path, fewer), await holding(same, path, more)]).toEqual([304, 304]);
  });
});

describe("an export: formats", () => {
  it("reject more hosts than an Ansible inventory may contain, unless tags select fewer", async () => {
    const { owner, network } = await aNetwork(topology.aCaller());
    const counter = { organization_id: owner.scope.organizationId, target: network.id };
    await topology.db.collection("guards").updateOne(counter, { $set: { "counts.hosts": 50_001 } });
    const { status, code } = await owner.raw("get", "/api/v1/exports/ansible");
    expect([status, code]).toEqual([400, "validation_failed"]);
    await exported(owner, "ansible", "?tag_ids=web");
    await exported(owner, "hosts");
  });

  it("survive a round trip as a table", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network } = world;
    for (const [n, name] of ["=SUM(1)", 'a "b", c; d', "plain"].entries())
      await aServer(world, name, `10.0.0.${n + 1}`);
    const interfaces = [{ ip_address: "10.0.0.9", subnet_id: world.subnet.id }];
    const ports = [{ number: 443, protocol: "Tcp" as const }]; // the protocol there is unknown
    const given = { role: "Nas", attributes: { rack: "A3", height: 2, spare: true, note_: "=1, a" } } as const;
    await owner.call(createHost, { body: { network_id: network.id, name: "silent", interfaces, ports, ...given } });
    for (const resource of ["hosts", "interfaces", "ports", "services"]) {
      const { text } = await exported(owner, "csv", `?resource=${resource}`);
      const path = `/api/v1/imports/csv?network_id=${network.id}&resource=${resource}&dry_run=true`;
      const { data } = await owner.raw("post", path, text, { "content-type": "text/csv" });
      const { summary } = ImportPlan.parse(data);
      expect([resource, summary.hosts]).toEqual([
        resource,
        { create: 0, update: 0, unchanged: resource === "services" ? 3 : 4, failed: 0 },
      ]);
    }
    const elsewhere = await aNetwork(owner, "Elsewhere");
    const { text } = await exported(owner, "csv", `?network_id=${network.id}`);
    const path = `/api/v1/imports/csv?network_id=${elsewhere.network.id}&resource=hosts`;
    await owner.raw("post", path, text, { "content-type": "text/csv" });
    const copied = await owner.list(listHosts, {
      query: { network_id: elsewhere.network.id, attribute: ["height:2"] },
    });
    expect(copied.rows).toMatchObject([{ name: "silent", ...given }]);
    await owner.call(patchHost, {
      params: { id: copied.rows[0]!.id },
      body: { role: null, attributes: { rack: "B", spare: null } },
    });
    const { data } = await owner.raw("post", `${path}&dry_run=true`, text, { "content-type": "text/csv" });
    const plan = ImportPlan.parse(data);
    expect(plan.hosts.flatMap(({ changes }) => changes)).toEqual([
      { path: "role", from: null, to: "Nas" },
      { path: "attributes.spare", from: null, to: "true" },
    ]);
  });

  it("lose nothing as a table of hosts: what was exported and deleted is imported as it was", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner, network } = world;
    const other = await aNetwork(owner, "Elsewhere");
    await aServer(other, "not here", "10.0.0.9");
    const tag = await owner.call(createTag, { body: { name: "prod; EU, 1" } });
    const texts = { asset: "0042", room: "42", negative: "-1", quoted: "'7", said: "true", empty: "" };
    const attributes = { rack: "A3", height: 2, depth: -1.5, spare: true, ...texts };
    const given = { role: "Nas", attributes, description: "a, b" } as const;
    const interfaces = [{ ip_address: "10.0.0.1", subnet_id: world.subnet.id, mac_address: "00:11:22:33:44:55" }];
    const tags = [tag.id, "a;b", "c\\d"];
    const body = { network_id: network.id, name: "nas", hostname: "nas.example", interfaces, tags, ...given };
    await owner.call(createHost, { body });
    const { text } = await exported(owner, "csv");
    expect(text).toContain('"prod\\; EU\\, 1;a\\;b;c\\\\d",Home,');
    const shown = async (): Promise<unknown> => {
      const { rows } = await owner.list(listHosts, { query: { network_id: network.id } });
      return rows.map(({ name, hostname, description, role, tags: own, attributes, interfaces: at }) => ({
        ...{ name, hostname, description, role, attributes, tags: own.toSorted() },
        at: at.map(({ ip_address, mac_address }) => [ip_address, mac_address]),
      }));
    };
    const before = await shown();
    const { rows } = await owner.list(listHosts, { query: { network_id: network.id } });
    await owner.call(bulkDeleteHosts, { body: rows.map(({ id }) => id) });
    const path = `/api/v1/imports/csv?network_id=${network.id}`;
    const { data } = await owner.raw("post", path, text, { "content-type": "text/csv" });
    expect(ImportPlan.parse(data).skipped).toEqual([
      expect.objectContaining({ what: "row not here", column: "network" }),
    ]);
    expect(await shown()).toEqual(before);
    const again = ImportPlan.parse((await owner.raw("post", path, text, { "content-type": "text/csv" })).data);
    expect(again.summary.hosts).toMatchObject({ create: 0, update: 0, unchanged: 1 });
  });

  it.each([
    "hosts?zone=home.example",
    "hosts?scheme=http",
    "netbox",
    "home-assistant",
    "home-assistant?base_url=ftp%3A%2F%2Fx",
    "ansible?service_definition=nginx",
    "prometheus?scheme=ftp",
    "dns",
    "dns?zone=a..b",
    "dns?zone=x%0Ay",
    "hosts?resource=ports",
    "csv?resource=tags",
    "hosts?limit=1",
    "nothing",
  ])("reject %s", async (format) => {
    const { status, code } = await topology.aCaller().raw("get", `/api/v1/exports/${format}`);
    expect([status, code]).toEqual([400, "validation_failed"]);
  });
});
