/** Ten common jobs, as an assistant does them: a fixed transcript of calls, in place of a language model. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Account, aKey, anAccount } from "../support/api.js";
import { aCollector, nextJob, type TestCollector } from "../support/collectors.js";
import { type SharedStack, sharedStack } from "../support/shared-stack.js";
import { aNetworkWithAHost, firstCursor, type NetworkWorld } from "../support/world.js";

let stack: SharedStack;
let account: Account;
let world: NetworkWorld;
let collector: TestCollector;
let client: Client;
let calls = 0;

/** Something in a result. */
type Data = Readonly<Record<string, unknown>>;

beforeAll(async () => {
  stack = await sharedStack();
  account = await anAccount(stack.url);
  world = await aNetworkWithAHost(account.session);
  collector = await aCollector(stack.url, account.session, world.network.id);
  const { secret } = await aKey(stack.url, account, { permissions: "Owner" });
  client = new Client({ name: "script", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stack.url}/mcp`), { requestInit }));
  await firstCursor(account.session);
});
afterAll(async () => {
  await client.close();
});

async function call<Result = Data>(name: string, given: object = {}): Promise<{ data: Result; next: string }> {
  calls++;
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: { ...given } });
  if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
  return structuredContent as { data: Result; next: string };
}

/** A change that the person agrees to. */
async function changed(change: object): Promise<Data> {
  const { data } = await call("plan_change", { change });
  await call("apply_change", { change, etag: data["etag"] });
  return data;
}

/** Does a job in a number of calls. */
function job(name: string, most: number, script: () => Promise<void>): void {
  it(`${name}: in ${most} ${most === 1 ? "call" : "calls"}`, async () => {
    calls = 0;
    await script();
    expect(calls).toBe(most);
  });
}

const scanOf = (address: string, notAfter: string): string =>
  `<?xml version="1.0"?><nmaprun scanner="nmap" args="nmap -sV -oX - ${address}" start="1770000000" version="7.94"><host>` +
  `<status state="up" reason="arp-response"/><address addr="${address}" addrtype="ipv4"/><hostnames/><ports>` +
  `<port protocol="tcp" portid="8443"><state state="open"/><service name="https" product="Caddy" version="2.8"/>` +
  `<script id="ssl-cert" output=""><table key="subject"><elem key="commonName">shop.example</elem></table>` +
  `<table key="issuer"><elem key="commonName">CA</elem></table><table key="validity"><elem key="notBefore">2025-01-01T00:00:00</elem>` +
  `<elem key="notAfter">${notAfter}</elem></table></script></port></ports></host>` +
  `<runstats><finished time="1770000009" exit="success"/><hosts up="1" down="0" total="1"/></runstats></nmaprun>`;

describe("assistants: misses", () => {
  it("say that nothing was found, and what to try", async () => {
    const lonely = await account.session.data<Data>("post", "/api/v1/hosts", {
      network_id: world.network.id,
      name: "alone",
    });
    for (const [name, given] of [
      ["find", { text: "nowhere" }],
      ["describe_host", { host: "10.9.9.9" }],
      ["describe_subnet", { subnet: "10.9.9.0/24" }],
      ["what_listens", { port: 9 }],
      ["who_is", { address: "10.9.9.9" }],
      ["what_changed", { until: "2020-01-01" }],
      ["what_is_gone", {}],
      ["what_depends_on", { kind: "host", id: lonely.id }],
      ["ending_certificates", { until: "tomorrow" }],
      ["find_duplicates", {}],
    ] as const) {
      const { next } = await call(name, given);
      expect([name, next]).toEqual([name, expect.stringMatching(/^Nothing found\. [A-Z]/)]);
    }
    const unclear = await client.callTool({ name: "what_changed", arguments: { since: "03/04" } });
    expect(unclear).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/not clear when.*\nNext: write it/) }],
    });
  });
});

describe("assistants: jobs", () => {
  job("the next free address in a subnet", 1, async () => {
    const { data } = await call("describe_subnet", { subnet: "10.0.0.0/24" });
    expect(data).toMatchObject({ subnet: { name: "LAN", size: 254, used: 1, next_free: "10.0.0.1" } });
  });

  job("bind a service to an existing port", 3, async () => {
    const { data } = await call<{ host: { id: string; network_id: string; parts: Data[] } }>("describe_host", {
      host: "10.0.0.5",
    });
    const { network_id, id: host_id, parts } = data.host;
    const port = parts.find((part) => part["port"] === "443/tcp");
    const bindings = [{ type: "Port", port_id: port?.["id"] }];
    await changed({
      ...{ kind: "service", action: "create" },
      members: { network_id, host_id, name: "wiki", service_definition: "MediaWiki", bindings },
    });
    const services = await account.session.data("get", `/api/v1/services?host_id=${host_id}&q=wiki`);
    expect(services).toMatchObject([{ bindings: [{ port_id: world.port.id, interface_id: null }] }]);
  });

  job("what changed since yesterday", 1, async () => {
    const { data } = await call("what_changed", { since: "yesterday", time_zone: "Europe/Berlin", entity: "Host" });
    expect(data["since"]).toMatch(/^\d{4}-\d\d-\d\d 00:00 \+0[12]:00 \(Europe\/Berlin\)$/);
    expect(data["changes"]).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ name: "nas", by: account.email })]),
    );
  });

  job("which certificates end this month", 1, async () => {
    const ended = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
    for (const [address, notAfter] of [
      ["10.0.0.20", ended],
      ["10.0.0.21", "2190-01-01T00:00:00"],
    ] as const)
      await account.session.send(
        "post",
        `/api/v1/imports/nmap?network_id=${world.network.id}`,
        scanOf(address, notAfter),
        {
          "content-type": "application/xml",
        },
      );
    const { data } = await call("ending_certificates", { until: "end of this month" });
    expect(data).toMatchObject({
      count: 1,
      certificates: [{ port: "8443/tcp", subject: expect.stringMatching(/shop\.example/) }],
    });
  });

  job("what depends on a service", 2, async () => {
    const { data } = await call<{ services: { items: Data[] } }>("find", { text: "web" });
    const service = data.services.items.find((one) => one["name"] === "web");
    const { data: reached } = await call("what_depends_on", { kind: "service", id: service?.["id"] });
    expect(reached).toMatchObject({ counts: { processes: 1 }, reached: [{ name: "cron" }] });
  });

  job("find duplicates", 1, async () => {
    const twin = { network_id: world.network.id, name: "NAS" };
    await account.session.data("post", "/api/v1/hosts", twin);
    const { data } = await call("find_duplicates");
    expect(data["alike"]).toMatchObject([{ same: "name", value: "nas", hosts: [{ name: "nas" }, { name: "NAS" }] }]);
  });

  job("who is a stranger", 1, async () => {
    const { data } = await call("find", { strangers: true });
    expect(data["hosts"]).toMatchObject({ total: 2, items: [{ is_known: false }, { is_known: false }] });
  });

  job("undo the last import", 3, async () => {
    const hosts = () => account.session.data<Data[]>("get", "/api/v1/hosts?q=10.0.0.21");
    expect(await hosts()).toHaveLength(1);
    await account.session.data("get", "/api/v1/changes?limit=1&wait=20");
    const { data } = await call<{ requests: { request: string; sources: string[]; changes: Data }[] }>("what_changed", {
      ...{ since: "2 hours ago", action: "created", by_request: true },
    });
    const imported = data.requests.find(({ sources }) => sources.includes("Discovery"));
    expect(imported?.changes).toMatchObject({ "Host created": 1 });
    await changed({ kind: "request", action: "undo", id: imported?.request });
    expect(await hosts()).toEqual([]);
  });

  job("where a host hangs", 1, async () => {
    const [upper] = await account.session.data<Data[]>("get", "/api/v1/hosts?q=switch");
    await account.session.data("patch", `/api/v1/hosts/${String(upper?.["id"])}`, { role: "Switch" });
    const { data } = await call<{ host: { parts: Data[] } }>("describe_host", { host: world.host.id });
    expect(data.host.parts).toContainEqual(
      expect.objectContaining({ to: expect.objectContaining({ host: "switch", at: "1" }) }),
    );
    expect(data.host).toMatchObject({ hangs_on: [{ switch: "switch", port: "1" }] });
  });

  job("what hangs on a port of a switch, or on no such port", 2, async () => {
    const { data } = await call("describe_host", { host: "switch", port: "Gi0/1" });
    expect(data).toMatchObject({ host: { counts: { links: 1 }, parts: [{ at: "1", to: { host: "nas" } }] } });
    const { next } = await call("describe_host", { host: "switch", port: "7" });
    expect(next).toContain("No link of switch is at port 7. Ports with links: 1.");
  });

  job("scan now", 2, async () => {
    const { data } = await call<{ collectors: Data[] }>("collectors");
    const { data: started } = await call<{ job: Data }>("scan_now", { collector_id: data.collectors[0]?.["id"] });
    expect((await nextJob(collector.self))?.id).toBe(started.job["id"]);
  });
});
