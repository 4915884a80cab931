/** Dependencies: what they may name, and what becomes of them when that changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  bulkDeleteDependencies,
  bulkDeleteHosts,
  createDependency,
  createHost,
  createLink,
  createPort,
  type Dependency,
  deleteDependency,
  deleteHost,
  deletePort,
  deleteService,
  diffChanges,
  getDependency,
  getHostImpact,
  getServiceImpact,
  HISTORIES,
  type Impact,
  type ImportPlan,
  patchHost,
  getService,
  type Host,
  listChanges,
  listDependencies,
  listHosts,
  mergeHosts,
  MOST_DEPENDENCIES_OF_HOST,
  patchDependency,
  patchService,
  reportGone,
  splitHost,
  updateDependency,
} from "@nts/shared/contract";
import { newId } from "@nts/shared/ids";
import { dependencyText } from "@nts/shared/contract/names.rules";
import { archiveOf, imported, normalForm } from "../support/archives.js";
import { importFile, sendFile } from "../support/imports.js";
import { waitForJournal } from "../support/moments.js";
import { revert, withRequestId } from "../support/reverts.js";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, onPort, unknownEntity, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let home: World;
let web: Host;
let db: Host;

beforeAll(async () => {
  topology = await startTopology({ journal: true });
});
afterAll(() => topology.stop());

beforeEach(async () => {
  owner = topology.aCaller();
  home = await aNetwork(owner, "Home");
  web = await aHost(home, { name: "web", ports: 1, services: 2 });
  db = await aHost(home, { name: "db", ports: 2, services: 2 });
});

const network = (): string => home.network.id;
const ALONE = { service_id: null, process: null };
const ANY = { service_id: null, port_id: null };

type Ends = Parameters<typeof endsOf>[0];
function endsOf({ client, server }: { client: Partial<Dependency["client"]>; server: Partial<Dependency["server"]> }) {
  return { client: { host_id: web.id, ...client }, server: { host_id: db.id, ...server } };
}
const make = (ends: Ends): Promise<Dependency> =>
  owner.call(createDependency, { body: { network_id: network(), ...endsOf(ends) } });
const refusal = (ends: Ends): Promise<unknown[]> =>
  owner.refusal(createDependency, { body: { network_id: network(), ...endsOf(ends) } });
const all = async (query = {}): Promise<Dependency[]> => (await owner.list(listDependencies, { query })).rows;
/** From the service of web to the service and port of db. */
const usual = (): Ends => ({
  client: { service_id: web.services[0]!.id },
  server: { service_id: db.services[0]!.id, port_id: db.ports[0]!.id },
});

/** Makes so many more, each with ends of its own. */
async function copy(id: string, count: number): Promise<void> {
  const dependencies = topology.db.collection<{ _id: string; ends: string }>("dependencies");
  const { ends, ...document } = (await dependencies.findOne({ _id: id }))!;
  await dependencies.insertMany(
    Array.from({ length: count }, (_, n) => ({ ...document, _id: newId(), ends: `${ends} ${n}` })),
  );
}

describe("a dependency", () => {
  it("has defaults, and is found by both its ends", async () => {
    const plain = await make({ client: {}, server: {} });
    expect(plain).toMatchObject({
      network_id: network(),
      client: { host_id: web.id, ...ALONE },
      server: { host_id: db.id, ...ANY },
      source: "Manual",
      note: null,
    });
    const whole = await make(usual());
    expect(await owner.call(getDependency, { params: whole })).toEqual({ ...whole, seen: null, missed_since: null });
    const ids = async (query: object): Promise<string[]> => (await all(query)).map(({ id }) => id).sort();
    const both = [plain.id, whole.id].sort();
    expect(await ids({ host_id: web.id })).toEqual(both);
    expect(await ids({ host_id: db.id, network_id: network() })).toEqual(both);
    expect(await ids({ service_id: web.services[0]!.id })).toEqual([whole.id]);
    expect(await ids({ service_id: db.services[0]!.id, host_id: db.id })).toEqual([whole.id]);
    expect(await ids({ service_id: db.services[1]!.id })).toEqual([]);
    expect(await ids({ source: "Discovery" })).toEqual([]);
    const cursor = await waitForJournal(owner);
    await owner.call(bulkDeleteDependencies, { body: both });
    expect(await ids({ host_id: web.id, as_of: cursor })).toEqual(both);
    expect(await all()).toEqual([]);
    await owner.call(bulkDeleteHosts, { body: [web.id, db.id] });
    const to = await waitForJournal(owner);
    const rows = await owner.call(listChanges, { query: { entity: "Dependency" } });
    const called = { [plain.id]: "web → db", [whole.id]: "s0 on web → s0 on db:1" };
    expect(rows.map(({ name }) => name)).toEqual(rows.map(({ entity_id }) => called[entity_id]));
    expect(rows).toHaveLength(4);
    const { removed } = await owner.call(diffChanges, { query: { from: cursor, to } });
    expect(
      removed
        .filter(({ entity }) => entity === "Dependency")
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.values(called).sort());
  });

  it("is there once for a client and a server", async () => {
    const made = await make(usual());
    const taken = [409, "already_exists", { entity: "Dependency", field: "server" }];
    expect(await refusal(usual())).toEqual(taken);
    const other = await make({ ...usual(), client: { process: "cron" } });
    const body = { network_id: network(), client: made.client };
    expect(await owner.refusal(updateDependency, { params: other, body })).toEqual(taken);
    const racing = await Promise.all(
      Array.from({ length: 5 }, () =>
        owner.send(createDependency, { body: { network_id: network(), ...endsOf({ client: {}, server: {} }) } }),
      ),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it("names only what is there, on the host of its end, and in its network", async () => {
    const office = await aNetwork(owner, "Office");
    const far = await aHost(office, { name: "far" });
    const id = unknownEntity().id;
    const invalid = (path: string): unknown[] => [400, "invalid_reference", { path }];
    for (const [path, ends] of [
      ["client.host_id", { client: { host_id: id }, server: {} }],
      ["server.host_id", { client: {}, server: { host_id: id } }],
      ["client.service_id", { client: { service_id: db.services[0]!.id }, server: {} }],
      ["server.service_id", { client: {}, server: { service_id: web.services[0]!.id } }],
      ["server.port_id", { client: {}, server: { port_id: web.ports[0]!.id } }],
    ] as const)
      expect(await refusal(ends)).toEqual(invalid(path));
    expect(await refusal({ client: {}, server: { host_id: far.id } })).toEqual([
      400,
      "network_mismatch",
      { path: "server.host_id" },
    ]);
    const limited = owner.restrictedTo([network()]);
    const body = { network_id: network(), client: { host_id: web.id }, server: { host_id: far.id } };
    expect(await limited.refusal(createDependency, { body })).toEqual(invalid("server.host_id"));
    const made = await make(usual());
    expect(
      await owner.refusal(patchDependency, { params: made, body: { server: { port_id: web.ports[0]!.id } } }),
    ).toEqual(invalid("server.port_id"));
    expect(await owner.refusal(updateDependency, { params: made, body: { network_id: office.network.id } })).toEqual([
      400,
      "network_mismatch",
      { path: "network_id" },
    ]);
  });

  it("is never on itself", async () => {
    const [one, two] = web.services;
    const on = { host_id: web.id };
    for (const ends of [
      { client: {}, server: on },
      { client: { service_id: one!.id }, server: on },
      { client: {}, server: { ...on, service_id: one!.id } },
      { client: { service_id: one!.id }, server: { ...on, service_id: one!.id } },
    ]) {
      const [status, code, { errors }] = (await refusal(ends)) as [number, string, { errors: { path: string }[] }];
      expect([status, code, errors[0]?.path]).toEqual([400, "validation_failed", "server"]);
    }
    await make({ client: { service_id: one!.id }, server: { ...on, service_id: two!.id } });
    await make({ client: { process: "cron" }, server: { ...on, service_id: two!.id } });
  });

  it("is one of a limited number of its host, also when they are made at the same time", async () => {
    const full = await make(usual());
    await copy(full.id, MOST_DEPENDENCIES_OF_HOST - 2);
    const racing = await Promise.all(
      ["one", "two"].map((process) =>
        owner.send(createDependency, {
          body: { network_id: network(), ...endsOf({ client: { process }, server: {} }) },
        }),
      ),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});

describe("what becomes of a dependency", () => {
  it("it is deleted with its hosts, services and port, and comes back with a revert", async () => {
    const removals: [what: string, (headers: Record<string, string>) => Promise<unknown>][] = [
      ["host", (headers) => owner.send(deleteHost, { params: db, headers })],
      ["client", (headers) => owner.send(bulkDeleteHosts, { body: [web.id], headers })],
      ["service", (headers) => owner.send(deleteService, { params: db.services[0]!, headers })],
      ["client's service", (headers) => owner.send(deleteService, { params: web.services[0]!, headers })],
      ["port", (headers) => owner.send(deletePort, { params: db.ports[0]!, headers })],
    ];
    const made = await make(usual());
    const other = await make({
      client: { process: "cron" },
      server: { host_id: web.id, service_id: web.services[1]!.id },
    });
    for (const [what, remove] of removals) {
      const request = await withRequestId((headers) => remove(headers));
      const left = (await all()).map(({ id }) => id);
      expect([what, left]).toEqual([what, what === "client" ? [] : [other.id]]);
      await waitForJournal(owner);
      expect([what, (await revert(owner, request)).status]).toEqual([what, 200]);
      expect([what, (await all()).map(({ id }) => id).sort()]).toEqual([what, [made.id, other.id].sort()]);
    }
  });

  it("a dry run of a deletion says that it goes, and changes nothing", async () => {
    const made = await make(usual());
    const { meta } = await owner.send(deleteService, { params: db.services[0]!, query: { dry_run: true } });
    const gone = { action: "delete", entity: "Dependency", id: made.id };
    expect(meta.plan?.changes).toContainEqual(expect.objectContaining(gone));
    expect(meta.plan?.impact).toEqual({ hosts: 0, services: 1, processes: 0, complete: true });
    expect(await all()).toHaveLength(1);
  });

  it("it moves with its service, and has no port of the former host then", async () => {
    const made = await make(usual());
    const target = await aHost(home, { name: "target" });
    const { id } = db.services[0]!;
    await owner.call(patchService, { params: { id }, body: { host_id: target.id, bindings: [] } });
    expect((await owner.call(getService, { params: { id } })).host_id).toBe(target.id);
    expect(await owner.call(getDependency, { params: made })).toMatchObject({
      server: { host_id: target.id, service_id: id, port_id: null },
    });
    await owner.call(deleteHost, { params: db });
    expect(await all()).toHaveLength(1);
    await owner.call(deleteHost, { params: target });
    expect(await all()).toEqual([]);
  });

  it("of two hosts that become one, those of both are of what remains, each once, and a revert divides them again", async () => {
    const twin = await aHost(home, { name: "twin", ports: 2 });
    const mine = await aService(home, db, { name: "sql", bindings: [onPort(db.ports[0])] });
    const theirs = await aService(home, twin, { name: "sql", bindings: [onPort(twin.ports[0])] });
    const server = { host_id: twin.id, service_id: theirs.id, port_id: twin.ports[0]!.id };
    await make({ client: {}, server: { service_id: mine.id, port_id: db.ports[0]!.id } });
    await make({ client: {}, server });
    await make({ client: { process: "cron" }, server });
    await make({ client: { host_id: twin.id }, server: {} });
    const before = await all();
    const request = await withRequestId((headers) =>
      owner.send(mergeHosts, { params: db, body: { host_id: twin.id }, headers }),
    );
    const here = { host_id: db.id, service_id: mine.id, port_id: db.ports[0]!.id };
    expect((await all()).map(({ client, server: to }) => [client.process, to])).toEqual([
      [null, here],
      ["cron", here],
    ]);
    await waitForJournal(owner);
    expect((await revert(owner, request)).status).toBe(200);
    const withoutTimes = (some: Dependency[]): object[] => some.map((one) => ({ ...one, updated_at: null }));
    expect(withoutTimes(await all())).toEqual(withoutTimes(before));
  });

  it("of a host that is split, those of a service are of the host that gets it", async () => {
    const wide = await aHost(home, { name: "wide", interfaces: 2, ports: 1 });
    const [, eth1] = wide.interfaces;
    const service = await aService(home, wide, { bindings: [onPort(wide.ports[0], eth1)] });
    const made = await make({
      client: {},
      server: { host_id: wide.id, service_id: service.id, port_id: wide.ports[0]!.id },
    });
    const { id } = await owner.call(splitHost, { params: wide, body: { interface_ids: [eth1!.id], name: "new" } });
    const { server } = await owner.call(getDependency, { params: made });
    expect(server).toEqual({ host_id: id, service_id: service.id, port_id: wide.ports[0]!.id });
  });

  it("none is left of a host that is deleted while they are made", async () => {
    for (let round = 0; round < 5; round++) {
      const brief = await aHost(home, { name: `brief ${round}` });
      const making = Array.from({ length: 4 }, (_, n) =>
        owner.send(createDependency, {
          body: { network_id: network(), ...endsOf({ client: { process: `p${n}` }, server: { host_id: brief.id } }) },
        }),
      );
      await Promise.all([...making, owner.send(deleteHost, { params: brief })]);
      expect(await topology.db.collection("dependencies").countDocuments({ host_id: brief.id })).toBe(0);
    }
  });

  it("an archive has them, and imports them elsewhere, also onto the same that is there already", async () => {
    await make(usual());
    await make({ client: { process: "cron" }, server: { port_id: db.ports[1]!.id } });
    const archive = await archiveOf(owner);
    const copy = topology.aCaller();
    await imported(copy, archive.text);
    expect(normalForm(await archiveOf(copy))).toEqual(normalForm(archive));
    const again = await imported(copy, archive.text);
    expect(again.summary.Dependency).toEqual({ create: 0, update: 0, unchanged: 2, failed: 0 });
    const [first] = await all();
    await owner.call(bulkDeleteDependencies, { body: [first!.id] });
    await make(usual());
    expect((await imported(owner, archive.text)).summary.Dependency).toMatchObject({ create: 0, unchanged: 2 });
  });
});

describe("what a machine is connected to", () => {
  const PEER = "10.0.0.7:5432";
  const nginx = (local: string, peer: string): string =>
    `tcp ESTAB 0 0 ${local} ${peer} users:(("nginx",pid=10,fd=9))\n`;
  const sockets = (...lines: string[]): string =>
    `# ss -H -tunap\ntcp LISTEN 0 9 0.0.0.0:443 0.0.0.0:* users:(("nginx",pid=10,fd=6))\n${lines.join("")}`;
  const fromWeb = (file: string, query = {}): Promise<ImportPlan> =>
    importFile(owner, "ss", { network_id: network(), hostname: "shop", ...query }, file);
  const textsOf = ({ dependencies = [] }: ImportPlan): string[] =>
    dependencies.map((one) => `${one.action} ${dependencyText(one)}`);
  const READ = "create nginx on shop → PostgreSQL on store:5432";
  let store: Host;

  beforeEach(async () => {
    const { id: port } = unknownEntity();
    store = await owner.call(createHost, {
      body: {
        network_id: network(),
        name: "store",
        interfaces: [{ ip_address: "10.0.0.7", subnet_id: home.subnet.id }],
        ports: [{ id: port, number: 5432, protocol: "Tcp" }],
        services: [
          { name: "PostgreSQL", service_definition: "PostgreSQL", bindings: [{ type: "Port", port_id: port }] },
        ],
      },
    });
  });

  it("is shown by a dry run, made, and only seen again afterwards", async () => {
    const file = sockets(nginx("10.0.0.5:41000", PEER), nginx("10.0.0.5:41001", PEER));
    const preview = await fromWeb(file, { dry_run: "true" });
    expect([textsOf(preview), preview.dependencies?.[0]?.id, await all()]).toEqual([[READ], null, []]);
    expect(textsOf(await fromWeb(file))).toEqual([READ]);
    const [made] = await all();
    const shop = (await owner.list(listHosts, { query: { q: "shop" } })).rows[0]!;
    expect(made).toMatchObject({
      source: "Discovery",
      client: { host_id: shop.id, service_id: shop.services[0]!.id, process: null },
      server: { host_id: store.id, service_id: store.services[0]!.id, port_id: store.ports[0]!.id },
      seen: { by: "ss" },
      missed_since: null,
    });
    const { dependencies, summary } = await fromWeb(file);
    expect(dependencies?.map(({ action, id }) => [action, id])).toEqual([["unchanged", made!.id]]);
    expect(summary.dependencies).toMatchObject({ create: 0, update: 0, unchanged: 1, failed: 0 });
    const [again] = await all();
    expect(again!.seen!.first_at).toBe(made!.seen!.first_at);
    expect(Date.parse(again!.seen!.last_at)).toBeGreaterThan(Date.parse(made!.seen!.last_at));
    expect({ ...again, seen: null }).toEqual({ ...made, seen: null });
  });

  it("is found from the other end, too, and what is unknown is counted", async () => {
    const interfaces = [{ ip_address: "10.0.0.5", subnet_id: home.subnet.id }];
    await owner.call(createHost, { body: { network_id: network(), name: "shop", hostname: "shop", interfaces } });
    await fromWeb(sockets(nginx("10.0.0.5:41000", PEER)));
    const file = `# ss -H -tunap\ntcp LISTEN 0 9 0.0.0.0:5432 0.0.0.0:* users:(("postgres",pid=1,fd=6))
tcp ESTAB 0 0 ${PEER} 10.0.0.5:41000
tcp ESTAB 0 0 ${PEER} 10.0.0.99:41000
tcp ESTAB 0 0 127.0.0.1:5432 127.0.0.1:41000\n`;
    const query = { network_id: network(), host_id: store.id };
    const plan = await importFile(owner, "ss", query, file);
    // The list does not say which process of the client it is.
    expect(textsOf(plan)).toEqual(["unchanged shop → PostgreSQL on store:5432"]);
    expect(plan.summary.dependencies!.not_made).toEqual({ loopback: 1, broadcast: 0, unknown_host: 1, unclear: 0 });
    expect(plan.skipped).toContainEqual({ line: 4, what: "client 10.0.0.99", reason: "no host has this address" });
    expect(await all()).toHaveLength(1);
  });

  it("is replaced where a later list says more, unless somebody has written it", async () => {
    const bare = sockets('tcp ESTAB 0 0 10.0.0.5:41000 10.0.0.7:9999 users:(("backup",pid=7,fd=3))\n');
    await fromWeb(bare);
    const [first] = await all();
    expect(first!.server).toMatchObject({ host_id: store.id, service_id: null, port_id: null });
    await owner.call(createPort, { body: { host_id: store.id, network_id: network(), number: 9999, protocol: "Tcp" } });
    expect(textsOf(await fromWeb(bare))).toEqual(["update backup on shop → store:9999"]);
    const [more] = await all();
    expect([more!.id, more!.client.process, more!.server.port_id === null]).toEqual([first!.id, "backup", false]);
    const shop = first!.client.host_id;
    await owner.call(deleteDependency, { params: more! });
    const written = await make({ client: { host_id: shop, process: "backup" }, server: { host_id: store.id } });
    expect(textsOf(await fromWeb(bare))).toEqual(["create backup on shop → store:9999"]);
    expect((await all()).map(({ source }) => source).sort()).toEqual(["Discovery", "Manual"]);
    expect((await all()).find(({ id }) => id === written.id)!.server.port_id).toBeNull();
  });

  it("is missed by a list of all that does not show it, by no other, and returns", async () => {
    await fromWeb(sockets(nginx("10.0.0.5:41000", PEER)));
    const written = await make({ client: { host_id: (await all())[0]!.client.host_id }, server: {} });
    const missed = async (): Promise<boolean[]> =>
      (await all({ order_by: "created_at" })).map(({ missed_since }) => missed_since !== null);
    await fromWeb(sockets().replace("-tunap", "-tulnp"));
    expect(await missed()).toEqual([false, false]);
    const { missing, summary } = await fromWeb(sockets());
    expect(missing).toEqual([expect.objectContaining({ entity: "Dependency", name: "shop → store" })]);
    expect([await missed(), summary.missing.dependencies]).toEqual([[true, false], 1]);
    expect((await all({ missed: true })).map(({ id }) => id)).not.toContain(written.id);
    const { counts, gone } = await owner.call(reportGone, { query: { days: 0, network_id: network() } });
    expect([counts.dependencies, gone.map(({ name, host_name }) => [name, host_name])]).toEqual([
      1,
      [["shop → store", "shop"]],
    ]);
    await fromWeb(sockets(nginx("10.0.0.5:41000", PEER)));
    expect(await missed()).toEqual([false, false]);
  });

  it("is refused with the reason where the other host has too many", async () => {
    const interfaces = [{ ip_address: "10.0.0.5", subnet_id: home.subnet.id }];
    await owner.call(createHost, { body: { network_id: network(), name: "shop", hostname: "shop", interfaces } });
    const query = { network_id: network(), hostname: "batch" };
    const job = `tcp ESTAB 0 0 10.0.0.6:40000 ${PEER} users:(("job",pid=100,fd=3))\n`;
    const { dependencies } = await importFile(owner, "ss", query, sockets(job));
    await copy(dependencies![0]!.id!, MOST_DEPENDENCIES_OF_HOST - 2);
    const plan = await fromWeb(
      sockets(
        ...["a", "b"].map(
          (name, n) => `tcp ESTAB 0 0 10.0.0.5:${41_000 + n} ${PEER} users:(("${name}",pid=${n},fd=3))\n`,
        ),
      ),
    );
    expect(plan.dependencies!.map(({ action, error }) => [action, error?.message ?? null])).toEqual([
      ["create", null],
      ["failed", "a host can have at most 2,000 dependencies"],
    ]);
  });

  it("goes with an undo of the import, and is in the history of the hosts at both ends", async () => {
    const request = await withRequestId((headers) =>
      sendFile(
        owner,
        "ss",
        { network_id: network(), hostname: "shop" },
        sockets(nginx("10.0.0.5:41000", PEER)),
        headers,
      ),
    );
    const [made] = await all();
    await waitForJournal(owner);
    for (const id of [made!.client.host_id, store.id]) {
      const entries = await owner.call(HISTORIES.Host, { params: { id }, query: {} });
      expect(entries.filter(({ entity }) => entity === "Dependency")).toEqual([
        expect.objectContaining({ entity_id: made!.id, action: "created", host_id: null }),
      ]);
    }
    expect((await revert(owner, request)).status).toBe(200);
    expect(await all()).toEqual([]);
  });

  it("of the services of a Compose file is what they need, and observes nothing", async () => {
    const file = `name: shop
services:
  web: { image: nginx, ports: ["8080:80"], depends_on: { db: { condition: service_healthy }, gone: {} } }
  db: { image: postgres:16 }
  worker: { image: python, depends_on: [db], links: ["web:front"] }
`;
    const query = { network_id: network(), hostname: "docker" };
    const dry = await importFile(owner, "compose", { ...query, dry_run: "true" }, file);
    const plan = await importFile(owner, "compose", query, file);
    expect(textsOf(plan).sort()).toEqual([
      "create shop-web-1 on docker → shop-db-1 on docker",
      "create shop-worker-1 on docker → shop-db-1 on docker",
      "create shop-worker-1 on docker → shop-web-1 on docker",
    ]);
    expect(textsOf(dry)).toEqual(textsOf(plan));
    expect(plan.skipped).toContainEqual(
      expect.objectContaining({ what: "dependency of service web", reason: "the file runs no service gone" }),
    );
    expect((await all()).map(({ seen }) => seen)).toEqual([null, null, null]);
    expect(textsOf(await importFile(owner, "compose", query, file)).map((text) => text.split(" ")[0])).toEqual(
      Array.from({ length: 3 }, () => "unchanged"),
    );
  });

  it("of a published service of Kubernetes is the only node that runs it", async () => {
    const node = (name: string, ip: string): object => ({
      kind: "Node",
      metadata: { name },
      status: { addresses: [{ type: "InternalIP", address: ip }] },
    });
    const pod = (name: string, app: string, nodeName: string): object => ({
      kind: "Pod",
      metadata: { name, namespace: "default", labels: { app } },
      spec: { nodeName, containers: [{ image: "nginx" }] },
      status: { phase: "Running" },
    });
    const service = (name: string, nodePort: number): object => ({
      kind: "Service",
      metadata: { name, namespace: "default" },
      spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 80, nodePort, protocol: "TCP" }] },
    });
    const items = [
      ...[node("n1", "10.0.0.21"), node("n2", "10.0.0.22"), service("one", 30_001), service("two", 30_002)],
      ...[pod("one-1", "one", "n2"), pod("two-1", "two", "n1"), pod("two-2", "two", "n2")],
    ];
    const file = JSON.stringify({ apiVersion: "v1", kind: "List", items });
    const plan = await importFile(owner, "kubernetes", { network_id: network() }, file);
    expect(textsOf(plan)).toEqual(["create default/one on n1 → n2"]);
  });
});

describe("what stops if something stops", () => {
  const service = getServiceImpact;
  const host = getHostImpact;
  const impact = (operation: typeof service, { id }: { id: string }, query = {}): Promise<Impact> =>
    owner.call(operation, { params: { id }, query });
  const linesOf = ({ reached }: Impact): string[] =>
    reached.map(({ distance, kind, name, via, path }) => `${distance} ${kind} ${name} ${via} ${path.length}`);

  it("is told with the path, through dependencies, hosts and guests, and the other way round", async () => {
    const [shop] = web.services;
    const [sql] = db.services;
    const guest = await aHost(home, { name: "guest", services: 1 });
    await owner.call(patchHost, {
      params: guest,
      body: { virtualization: { type: "vm", details: { host_id: web.id } } },
    });
    const made = await make({ client: { service_id: shop!.id }, server: { service_id: sql!.id } });
    const cron = await make({
      client: { host_id: guest.id, process: "cron" },
      server: { host_id: web.id, service_id: shop!.id },
    });
    expect(await impact(service, sql!)).toEqual({
      direction: "dependents",
      counts: { hosts: 0, services: 1, processes: 1 },
      complete: true,
      reached: [
        {
          ...{ kind: "service", id: shop!.id, name: shop!.name, host_id: web.id, host_name: "web", distance: 1 },
          ...{ via: "dependency", dependency_id: made.id, path: [sql!.id] },
        },
        {
          ...{ kind: "process", id: guest.id, name: "cron", host_id: guest.id, host_name: "guest", distance: 2 },
          ...{ via: "dependency", dependency_id: cron.id, path: [sql!.id, shop!.id] },
        },
      ],
    });
    const ofHost = await impact(host, db);
    expect(ofHost.counts).toEqual({ hosts: 0, services: 3, processes: 1 });
    const ofWeb = await impact(host, web);
    expect(linesOf(ofWeb).sort()).toEqual(
      [
        `1 host guest virtualization 1`,
        ...web.services.map(({ name }) => `1 service ${name} runs_on 1`),
        `2 process cron dependency 2`,
        `2 service ${guest.services[0]!.name} runs_on 2`,
      ].sort(),
    );
    const needs = { direction: "dependencies" };
    expect(linesOf(await impact(service, shop!, needs))).toEqual([
      "1 host web runs_on 1",
      `1 service ${sql!.name} dependency 1`,
      "2 host db runs_on 2",
    ]);
    // What is on a host is part of it: its process needs the shop.
    expect(linesOf(await impact(host, guest, { ...needs, depth: 2 }))).toEqual([
      "1 host web virtualization 1",
      `1 service ${shop!.name} dependency 1`,
      `2 service ${sql!.name} dependency 2`,
    ]);
    expect((await impact(host, web, { limit: 1 })).reached).toHaveLength(1);
    expect((await impact(host, web, { depth: 1 })).counts).toEqual({ hosts: 1, services: 2, processes: 0 });
  });

  it("ends, also where things depend on each other, and is that of a past moment", async () => {
    const [one, two] = web.services;
    await make({ client: { service_id: one!.id }, server: { host_id: web.id, service_id: two!.id } });
    await make({ client: { service_id: two!.id }, server: { host_id: web.id, service_id: one!.id } });
    expect((await impact(service, one!)).counts).toEqual({ hosts: 0, services: 1, processes: 0 });
    const cursor = await waitForJournal(owner);
    await owner.call(bulkDeleteDependencies, { body: (await all()).map(({ id }) => id) });
    expect((await impact(service, one!)).counts.services).toBe(0);
    expect((await impact(service, one!, { as_of: cursor })).counts.services).toBe(1);
  });

  it("is the same read from the present and from the past, in a random inventory", async () => {
    const hosts = await Promise.all(Array.from({ length: 6 }, (_, n) => aHost(home, { name: `h${n}`, services: 2 })));
    let seed = 7;
    const next = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
    const place = (): { host_id: string; service_id: string | null } => {
      const { id, services } = hosts[next(hosts.length)]!;
      return { host_id: id, service_id: services[next(3)]?.id ?? null };
    };
    for (let n = 0; n < 14; n++)
      await owner.send(createDependency, { body: { network_id: network(), client: place(), server: place() } });
    await owner.call(patchHost, {
      params: hosts[1]!,
      body: { virtualization: { type: "vm", details: { host_id: hosts[0]!.id } } },
    });
    expect((await all()).length).toBeGreaterThan(5);
    // The router h2, the switch h3 behind it, and two hosts at that.
    for (const [n, role] of ["Router", "Switch"].entries())
      await owner.call(patchHost, { params: hosts[n + 2]!, body: { role: role as "Router" } });
    for (const [one, other] of [
      [2, 3],
      [3, 4],
      [3, 5],
    ] as const) {
      const ends = [{ host_id: hosts[one]!.id, port: `${other}` }, { host_id: hosts[other]!.id }];
      await owner.call(createLink, { body: { network_id: network(), ends } });
    }
    const byLink = (await impact(host, hosts[2]!)).reached.filter(({ via }) => via === "link");
    expect(byLink.map(({ distance, name, path }) => [distance, name, path])).toContainEqual([
      ...[1, "h3", [hosts[2]!.id]],
    ]);
    expect(linesOf(await impact(host, hosts[5]!, { direction: "dependencies" }))).toContainEqual("1 host h3 link 1");
    const cursor = await waitForJournal(owner);
    const setOf = ({ counts, reached }: Impact): object => ({
      counts,
      reached: reached.map(({ kind, id, distance }) => `${distance} ${kind} ${id}`).sort(),
    });
    for (const direction of ["dependents", "dependencies"])
      for (const depth of [1, 2, 10])
        for (const [operation, subject] of [
          ...hosts.map((one) => [host, one] as const),
          ...hosts.map(({ services }) => [service, services[0]!] as const),
        ]) {
          const query = { direction, depth };
          const present = setOf(await impact(operation, subject, query));
          expect(setOf(await impact(operation, subject, { ...query, as_of: cursor }))).toEqual(present);
        }
  });

  it("is refused for what is not there, and ends at the networks of the caller", async () => {
    const missing = unknownEntity();
    expect(await owner.refusal(service, { params: missing })).toEqual([404, "not_found", { entity: "Service" }]);
    expect(await owner.refusal(host, { params: missing })).toEqual([404, "not_found", { entity: "Host" }]);
    const office = await aNetwork(owner, "Office");
    const far = await aHost(office, { name: "far" });
    await owner.call(patchHost, {
      params: far,
      body: { virtualization: { type: "vm", details: { host_id: web.id } } },
    });
    expect((await impact(host, web)).counts.hosts).toBe(1);
    const limited = owner.restrictedTo([network()]);
    expect((await limited.call(host, { params: web })).counts.hosts).toBe(0);
    expect(await limited.refusal(host, { params: far })).toEqual([404, "not_found", { entity: "Host" }]);
  });
});
