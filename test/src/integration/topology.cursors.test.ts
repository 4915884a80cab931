import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  type AnyEndpoint,
  createHost,
  createNetwork,
  createService,
  createSubnet,
  createTag,
  deleteService,
  type Host,
  listServices,
  OPERATIONS,
  updateService,
} from "@nts/shared/contract";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, aService, echoOf, type World } from "../support/topology-world.js";

/** Services that are paged through while others write, and the number of writers. */
const SERVICES = Number(process.env["CURSOR_SERVICES"] ?? 90);
const WRITERS = 4;
const ON_HOST = 500;

let topology: Topology;
let owner: Caller;
let home: World;

beforeAll(async () => {
  topology = await startTopology({ instances: 2 });
  owner = topology.aCaller();
  home = await aNetwork(owner, "Home");
  await owner.call(createNetwork, { body: { name: "Office" } });
  const { network, subnet } = home;
  for (const [cidr, subnet_type] of [
    ["10.1.0.0/16", "lab"],
    ["fd00::/64", null],
    ["10.2.0.0/16", "lab"],
  ] as const)
    await owner.call(createSubnet, { body: { network_id: network.id, cidr, name: "same", subnet_type } });
  for (const name of ["red", "blue", "green", "black"])
    await owner.call(createTag, { body: { name, color: name === "red" ? null : name } });
  for (let n = 0; n < 7; n++) {
    const ports = [80, 443].map((number) => ({ id: idOf(n, number), number, protocol: "Tcp" as const }));
    const bindings = ports.map(({ id }) => ({ type: "Port" as const, port_id: id, interface_id: null }));
    const body = {
      network_id: network.id,
      name: n % 2 === 0 ? "same" : `host ${n}`,
      hostname: n % 3 === 0 ? null : `h${n % 2}`,
      interfaces: [1, 2].map((i) => ({ ip_address: `10.0.${n}.${i}`, subnet_id: subnet.id })),
      ports,
      services: [{ name: "web", service_definition: "nginx", bindings }],
    };
    await owner.call(createHost, { body });
  }
});

afterAll(() => topology.stop());

function idOf(n: number, port: number): string {
  return `00000000-0000-4000-8000-${String(n * 1000 + port).padStart(12, "0")}`;
}

interface Row {
  readonly id?: string;
  readonly name?: string;
}

/** All pages of a list, sequentially. */
async function readPages(
  caller: Caller,
  operation: AnyEndpoint,
  query: Readonly<Record<string, unknown>>,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, headers, status, text } = await caller.send(operation, { query: { ...query, cursor } });
    if (status !== 200) throw new Error(text);
    const page = data as Row[];
    rows.push(...page);
    const next = headers[INTERNAL.listNext] as string;
    if (next === END_OF_LIST) return rows;
    expect(page).toHaveLength(Number(query["limit"]));
    cursor = next;
    await between();
  }
}

const nameOf = ({ id, name }: Row): string => id ?? name ?? "";

const lists = OPERATIONS.filter(({ list, upstream }) => list === true && upstream === "topology");

describe("cursors: paging through a list", () => {
  it.each(lists.map((one) => [one.operationId, one] as const))(
    "%s has the same order in pages as in one response, by every field in both directions, grouped or not",
    async (_id, operation) => {
      const fields = (operation.query!.shape["order_by"] as unknown as { unwrap(): { options: string[] } }).unwrap();
      for (const order_by of fields.options)
        for (const order_direction of ["asc", "desc"])
          for (const group_by of [undefined, fields.options.at(-1)]) {
            const query = { order_by, order_direction, group_by };
            const { data } = await owner.send(operation, { query: { ...query, limit: 0 } });
            const all = data as Row[];
            const limit = all.length > 50 ? 40 : 3;
            const pages = await readPages(owner, operation, { ...query, limit });
            expect([query, pages.map(nameOf)]).toEqual([query, all.map(nameOf)]);
          }
    },
    60_000,
  );
});

describe("cursors: paging through a changing list", () => {
  it(
    "shows every unchanged row exactly once, while others are inserted, deleted and renamed",
    async () => {
      const busy = await aNetwork(owner, "Busy");
      const nameAt = (n: number): string => `s${(n * 7919) % SERVICES}`;
      const hosts: Host[] = [];
      for (let from = 0; from < SERVICES; from += ON_HOST) {
        const length = Math.min(ON_HOST, SERVICES - from);
        const services = Array.from({ length }, (_, n) => ({ name: nameAt(from + n), service_definition: "busy" }));
        hosts.push(await owner.call(createHost, { body: { network_id: busy.network.id, name: "busy", services } }));
      }
      const all = hosts.flatMap(({ services }) => services);
      const restless = all.filter((_service, n) => n % 3 === 0);
      const still = all.filter((_service, n) => n % 3 !== 0).map(({ id }) => id);
      const query = { network_id: busy.network.id, order_by: "name", limit: SERVICES > 1_000 ? 100 : 7 };
      let isOver = false;
      let written = 0;
      let notify = (): void => undefined;
      // Each page waits for a write.
      const aWrite = (): Promise<void> => new Promise((resolve) => (notify = resolve));
      const writers = Array.from({ length: WRITERS }, (_, n) => write(n));
      const pages = (await readPages(owner, listServices, query, aWrite)).map(nameOf);
      isOver = true;
      await Promise.all(writers);
      const seen = new Map<string, number>();
      for (const id of pages) seen.set(id, (seen.get(id) ?? 0) + 1);
      expect(still.filter((id) => seen.get(id) !== 1)).toEqual([]);
      expect(written).toBeGreaterThan(still.length / query.limit);

      async function write(writer: number): Promise<void> {
        for (let round = 0; ; round++) {
          const one = restless[(round * WRITERS + writer) % restless.length]!;
          const caller = owner.via(round % 2);
          const name = `s${(round * 31) % SERVICES}`;
          // Another writer may have deleted it by now.
          if (round % 3 === 0)
            await caller.send(updateService, { params: { id: one.id }, body: { ...echoOf(one), name } });
          else if (round % 3 === 1) await caller.send(deleteService, { params: { id: one.id } });
          else {
            const { id: host_id } = hosts[round % hosts.length]!;
            const body = { host_id, network_id: busy.network.id, service_definition: "busy", name };
            await caller.call(createService, { body });
          }
          written += 1;
          notify();
          if (isOver) return;
        }
      }
    },
    60_000 + SERVICES * 100,
  );

  it("continues after a page that is streamed", async () => {
    const virtualization = { type: "vm", details: { text: "x".repeat(15_000) } };
    const host = await aHost(home, { name: "large" });
    for (let n = 0; n < 80; n += 20)
      await Promise.all(Array.from({ length: 20 }, () => aService(home, host, { virtualization })));
    const first = await owner.send(listServices, { query: { host_id: host.id, limit: 75 } });
    expect(first.headers["trailer"]).toContain(INTERNAL.listNext);
    expect(await readPages(owner, listServices, { host_id: host.id, limit: 75 })).toHaveLength(80);
  });
});

describe("cursors: validity", () => {
  const query = { order_by: "name", limit: 2 } as const;
  const cursorOf = async (caller: Caller, more: object = {}): Promise<string> =>
    (await caller.send(listServices, { query: { ...query, ...more } })).headers[INTERNAL.listNext] as string;

  it("rejects another organization, another list, and other filters or another order", async () => {
    const cursor = await cursorOf(owner);
    const stranger = topology.aCaller();
    const others: [Caller, object][] = [
      [stranger, {}],
      [owner, { order_by: "created_at" }],
      [owner, { order_direction: "desc" }],
      [owner, { network_id: home.network.id }],
      [owner, { cursor: `${cursor}AA` }],
      [owner, { cursor: cursor.slice(4) }],
    ];
    for (const [caller, more] of others)
      expect(await caller.refusal(listServices, { query: { ...query, cursor, ...more } })).toEqual([
        400,
        "cursor_invalid",
        {},
      ]);
    const beside = { query: { ...query, cursor, offset: 1 } };
    expect(await owner.refusal(listServices, beside)).toMatchObject([400, "validation_failed", {}]);
  });

  it("allows another limit, also none, and counts the whole list", async () => {
    const network_id = home.network.id;
    const cursor = await cursorOf(owner, { network_id });
    const all = await owner.list(listServices, { query: { network_id, order_by: "name", limit: 0 } });
    for (const limit of [0, 1, 1000]) {
      const rest = await owner.list(listServices, { query: { ...query, network_id, cursor, limit } });
      expect(rest.rows).toEqual(all.rows.slice(2, limit === 1 ? 3 : undefined));
      expect(rest.total).toBe(all.total);
    }
  });

  it("shows nothing beyond the networks of its user", async () => {
    const office = await aNetwork(owner, "Third");
    const elsewhere: Host = await aHost(office, { services: 3 });
    const colleague = owner.colleague({ networks: [office.network.id] });
    const cursor = await cursorOf(owner);
    const { rows, total } = await colleague.list(listServices, { query: { ...query, cursor, limit: 50 } });
    expect([rows.every(({ host_id }) => host_id === elsewhere.id), total]).toEqual([true, 3]);
    expect(await readPages(colleague, listServices, { limit: 1 })).toHaveLength(3);
  });
});
