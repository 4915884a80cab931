/** Exports for other tools: permissions, caching, and the round trip of a table. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createHost, createSubnet, createTag, type Host, ImportPlan, patchHost } from "@nts/shared/contract";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aNetwork, aService, onPort, type World } from "../support/topology-world.js";
import { until } from "../support/until.js";

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

const FORMATS = ["prometheus", "ansible", "hosts", "dns?zone=home.example", "homepage", "drawio", "csv?resource=services"]; // prettier-ignore

describe("an export: contents", () => {
  it("are the hosts of all networks that the caller may see, of one, or with some tags", async () => {
    const owner = topology.aCaller();
    const worlds = [await aNetwork(owner, "One"), await aNetwork(owner, "Two")] as const;
    const tag = await owner.call(createTag, { body: { name: "web" } });
    await aServer(worlds[0], "first");
    const { id } = await aServer(worlds[1], "second");
    await owner.call(patchHost, { params: { id }, body: { tags: [tag.id] } });
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
      expect([format, await seen(topology.aCaller(), format)]).toEqual([format, []]);
    }
    const { all } = JSON.parse((await exported(owner, "ansible")).text) as { all: { children: object } };
    expect(Object.keys(all.children)).toEqual(["network_one", "service_nginx", "network_two", "tag_web"]);
  });

  it("return 304 while nothing has changed", async () => {
    const world = await aNetwork(topology.aCaller());
    const { owner } = world;
    await aServer(world, "nas");
    const holding = async (etag: string): Promise<number> =>
      (await owner.raw("get", "/api/v1/exports/hosts", undefined, { "if-none-match": etag })).status;
    // Changes are recorded with a delay.
    await until(async () => (await holding((await exported(owner, "hosts")).etag)) === 304);
    const { etag } = await exported(owner, "hosts");
    await aServer(world, "another", "10.0.0.2");
    await until(async () => (await holding(etag)) === 200);
  });

  it("contain as a drawing each host once, in the subnet of its first interface or outside of subnets", async () => {
    const world = await aNetwork(topology.aCaller(), "One");
    const { owner, network, subnet } = world;
    const other = await owner.call(createSubnet, {
      body: { network_id: network.id, cidr: "10.1.0.0/24", name: "Other" },
    });
    const [network_id, firstOf] = [network.id, { ip_address: "10.0.0.1", subnet_id: subnet.id }];
    const interfaces = [firstOf, { ip_address: "10.1.0.1", subnet_id: other.id }];
    const router = await owner.call(createHost, { body: { network_id, name: "router", interfaces } });
    const bare = await owner.call(createHost, { body: { network_id, name: "bare" } });
    const { text } = await exported(owner, "drawio");
    const cell = (id: string): string => (text.split("\n").filter((line) => line.startsWith(`<mxCell id="${id}"`)).join("")); // prettier-ignore
    expect(cell(router.id)).toContain(`parent="${subnet.id}"`);
    expect(cell(router.interfaces[1]?.id ?? "")).toContain(`source="${router.id}" target="${other.id}"`);
    expect(cell(bare.id)).toContain(`parent="rest-${network.id}"`);
    // The label of the network, both subnets, and the hosts without an address.
    expect(text.match(/vertex="1" parent="1"/g)).toHaveLength(4);
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
    await owner.call(createHost, { body: { network_id: network.id, name: "silent", interfaces, ports } });
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
  });

  it.each(["hosts?zone=home.example", "dns", "dns?zone=a..b", "dns?zone=x%0Ay", "hosts?resource=ports", "csv?resource=tags", "hosts?limit=1", "nothing"])(
    "reject %s",
    async (format) => {
      const { status, code } = await topology.aCaller().raw("get", `/api/v1/exports/${format}`);
      expect([status, code]).toEqual([400, "validation_failed"]);
    },
  ); // prettier-ignore
});
