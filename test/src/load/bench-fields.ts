/**
 * `npm run bench -- fields`: the cost of a page at the beginning and the end of 100,000 services, by offset and by cursor,
 * and of the next free address in an empty and a full subnet of 65,534. Median and maximum in ms.
 */
import { MongoClient } from "mongodb";
import type { Interface, Service, Subnet } from "@nts/shared/contract";
import { END_OF_LIST, INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner } from "@nts/shared/http/tenancy";
import { newId } from "@nts/shared/ids";
import { interfaceKind } from "@nts/topology/kinds/interface";
import { createStorage } from "@nts/topology/storage/storage";
import { anAccount } from "../support/api.js";
import { seedTopology } from "../support/seed.js";
import { startStack } from "../support/stack.js";
import { UNLIMITED } from "../support/unlimited.js";
import { row } from "./work.js";

const ROUNDS = 30;
const SERVICES = 100_000;

const stack = await startStack({ ownMongod: true, env: { ...UNLIMITED, LOG_LEVEL: "warn" } });
const client = new MongoClient(stack.servers.urls.mongodb);
try {
  const { organizationId, userId } = await anAccount(stack.url);
  const scope = { organizationId, networks: "all" } as const;
  const principal = { kind: "session", credentialId: newId(), userId, permission: "Owner", scope } as const;
  const sign = createTenancySigner(stack.tenancySecrets.gatewayToTopology, "topology");
  const db = client.db(stack.databases.topology);
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers = { "x-tenancy": sign(principal), "content-type": "application/json" };
    const response = await fetch((stack.topologies[0]?.url ?? "") + path, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response;
  };
  const measured = async (work: string, run: () => Promise<unknown>): Promise<void> => {
    const times: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const startedAt = performance.now();
      await run();
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    row(work, (times[ROUNDS / 2] ?? 0).toFixed(1), (times.at(-1) ?? 0).toFixed(1));
  };

  row("work", "median ms", "slowest ms");
  row("---", "---", "---");
  const seeded = await seedTopology(db, {
    organizationId,
    networks: 10,
    hostsPerNetwork: 1_000,
    servicesPerHost: SERVICES / 10_000,
  });
  for (const order of ["created_at", "name"]) {
    const path = `/api/v1/services?order_by=${order}&limit=50`;
    const page = async (more: string): Promise<string> => {
      const response = await send("GET", path + more);
      await response.arrayBuffer();
      return response.headers.get(INTERNAL.listNext) ?? END_OF_LIST;
    };
    let cursor = "";
    for (let next = ""; next !== END_OF_LIST;) {
      cursor = next;
      const response = await send("GET", `/api/v1/services?order_by=${order}&limit=1000${next && `&cursor=${next}`}`);
      await response.arrayBuffer();
      next = response.headers.get(INTERNAL.listNext) ?? END_OF_LIST;
    }
    await measured(`${order}: first page`, () => page(""));
    await measured(`${order}: behind 99,000 by cursor`, () => page(`&cursor=${cursor}`));
    await measured(`${order}: behind 90,000 by offset`, () => page("&offset=90000"));
  }

  const network_id = seeded.networkIds[0] ?? "";
  const made = async <T>(path: string, body: object): Promise<T> =>
    (await (await send("POST", path, body)).json()) as T;
  const on = (await made<Service>("/api/v1/hosts", { network_id, name: "with addresses" })).id;
  for (const [name, cidr, used] of [
    ["empty", "10.1.0.0/16", 0],
    ["full", "10.2.0.0/16", 65_500],
  ] as const) {
    const subnet = await made<Subnet>("/api/v1/subnets", { network_id, cidr, name });
    const storage = createStorage(db, () => Promise.reject(new Error("nothing runs in a transaction here")));
    const entities = Array.from({ length: used }, (_, n): Interface => {
      const at = new Date().toISOString();
      const ip_address = `10.2.${(n + 1) >> 8}.${(n + 1) & 255}`;
      const made = { id: newId(), created_at: at, updated_at: at, network_id, host_id: newId() };
      const server = { ...made, ip_address, subnet_id: subnet.id, mac_address: null, position: 0 };
      return interfaceKind.make({ name: null }, server);
    });
    await client.withSession(async (session) => {
      for (let n = 0; n < used; n += 5_000)
        await storage.interfaces.insertWithHosts(session, scope, entities.slice(n, n + 5_000));
    });
    const startedAt = performance.now();
    const body = { network_id, host_id: on, subnet_id: subnet.id, ip_address: "next" };
    const take = (): Promise<Interface> => made<Interface>("/api/v1/interfaces", body);
    const [first, ...others] = await Promise.all(Array.from({ length: 16 }, take));
    let last = first as Interface;
    row(`${name} /16: the first addresses ever asked for, 16 at once`, (performance.now() - startedAt).toFixed(1), "");
    for (const { id } of others) await send("DELETE", `/api/v1/interfaces/${id}`);
    await measured(`${name} /16: delete an interface and make one at the next address`, async () => {
      await send("DELETE", `/api/v1/interfaces/${last.id}`);
      last = await take();
    });
    await measured(`${name} /16: utilization`, () => send("GET", `/api/v1/subnets/${subnet.id}/utilization`));
  }
} finally {
  await client.close();
  await stack.stop();
}
