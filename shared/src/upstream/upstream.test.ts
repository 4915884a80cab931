import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createLog } from "../log.js";
import { addressesOf, targetOf } from "./addresses.js";
import { createUpstream, type Upstream } from "./upstream.js";

const log = createLog("test", "silent");
const opened: Upstream[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((upstream) => upstream.close()));
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A replica that responds to probes with the present `status`, or not at all when that is 0. */
async function aReplica(address: string, port = 0): Promise<{ port: number; status: number; hosts: Set<string> }> {
  const replica = { port, status: 200, hosts: new Set<string>() };
  const server = createServer((request, response) => {
    replica.hosts.add(request.headers.host ?? "");
    if (replica.status !== 0) response.writeHead(replica.status).end();
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  replica.port = (server.address() as AddressInfo).port;
  servers.push(server);
  return replica;
}

function follow(urls: string[], addresses: () => readonly string[] = () => []): Upstream {
  const upstream = createUpstream({ service: "test", urls, log, resolve: () => Promise.resolve(addresses()) });
  opened.push(upstream);
  return upstream;
}

const origins = (upstream: Upstream): string[] => upstream.all().map(({ origin }) => origin);
const ejected = (upstream: Upstream): boolean[] => upstream.all().map(({ isEjected }) => isEjected);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("the replicas of a service", () => {
  it("are known at once when their addresses are given", () => {
    const upstream = follow(["http://127.0.0.1:1", "http://[::1]:2"]);
    expect(origins(upstream)).toEqual(["http://127.0.0.1:1", "http://[::1]:2"]);
  });

  it("are all the addresses of a name, and follow changes of it", async () => {
    let addresses = ["127.0.0.2", "127.0.0.3"];
    const upstream = follow(["http://topology:8082"], () => addresses);
    await until(() => origins(upstream).length === 2);
    expect(upstream.call()).toMatchObject({ replica: { host: "topology:8082" } });
    addresses = ["127.0.0.3", "::1"];
    await until(() => origins(upstream).includes("http://[::1]:8082"));
    expect(origins(upstream)).toEqual(["http://127.0.0.3:8082", "http://[::1]:8082"]);
  });

  it("stay known while their name cannot be resolved", async () => {
    let attempts = 0;
    const upstream = follow(["http://topology:8082"], () => {
      if (++attempts > 1) throw new Error("no such name");
      return ["127.0.0.2"];
    });
    await until(() => attempts > 3);
    expect(origins(upstream)).toEqual(["http://127.0.0.2:8082"]);
  });
});

describe("a replica", () => {
  it("newly resolved from a name gets no calls before it listens", async () => {
    const old = await aReplica("127.0.0.2");
    let addresses = ["127.0.0.2"];
    const upstream = follow([`http://topology:${old.port}`], () => addresses);
    await upstream.found;
    // The first one has been called before, whenever its probe gets a response.
    const responded = upstream.call();
    responded.responded();
    responded.end();
    addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
    await until(() => origins(upstream).length === 3);
    const called = new Set(Array.from({ length: 12 }, () => upstream.call().replica.origin));
    expect([...called]).toEqual([`http://127.0.0.2:${old.port}`]);
    await aReplica("127.0.0.3", old.port);
    await until(() => upstream.call().replica.origin.includes("127.0.0.3"));
  });

  it("is skipped while it reports that it is not ready, and then used again", async () => {
    const replica = await aReplica("127.0.0.1");
    const upstream = follow([`http://127.0.0.1:${replica.port}`]);
    replica.status = 503;
    await until(() => ejected(upstream)[0] === true);
    replica.status = 200;
    await until(() => ejected(upstream)[0] === false);
  });

  it("is skipped while it does not respond", async () => {
    const hanging = await aReplica("127.0.0.1");
    const other = await aReplica("127.0.0.1");
    const upstream = follow([hanging, other].map(({ port }) => `http://127.0.0.1:${port}`));
    hanging.status = 0;
    await until(() => ejected(upstream)[0] === true);
    expect(ejected(upstream)).toEqual([true, false]);
  });
});

describe("a base URL", () => {
  it("leads to its address, or through its name to any", () => {
    expect(targetOf("http://10.0.0.7:8082")).toEqual({
      name: null,
      replica: { origin: "http://10.0.0.7:8082", host: "10.0.0.7:8082" },
    });
    const target = targetOf("http://topology");
    expect(target.name).toBe("topology");
    expect(target.name !== null && ["10.0.0.7", "fd00::7"].map((address) => target.replicaAt(address))).toEqual([
      { origin: "http://10.0.0.7", host: "topology" },
      { origin: "http://[fd00::7]", host: "topology" },
    ]);
  });

  it("with a name that has addresses of both families leads to those of IPv4", async () => {
    expect(await addressesOf("localhost")).toEqual([expect.stringMatching(/^127\.|^::1$/)]);
  });
});
