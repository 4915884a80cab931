import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createBus, type Bus } from "@nts/shared/bus/bus";
import { keyApplied, keyChanged, networkDeleted, tagDeleted } from "@nts/shared/contract/messages";
import { createLog } from "@nts/shared/log";
import { createSecrets } from "@nts/local/secrets";
import type { NatsUrls } from "@nts/local/servers/nats";
import { prepareServer } from "@nts/local/servers/servers";
import { execa } from "execa";
import { connect, ErrorCode, type NatsError } from "nats";
import { startHandle } from "../support/handle.js";
import { createSelfSignedCertificate } from "../support/self-signed-certificate.js";
import { type Servers, startServers } from "../support/stack.js";
import { until } from "../support/until.js";

const BUS_PROCESS = fileURLToPath(new URL("../support/bus-process.js", import.meta.url));

let servers: Servers;
let buses: Bus[];
/** Numbers of the notices that each bus received. */
let received: number[][];

beforeAll(async () => {
  servers = await startServers();
  received = Array.from({ length: 4 }, () => []);
  buses = received.map((numbers, index) => {
    const bus = createBus(servers.urls.nats.identity, `test ${index}`, createLog("test", "silent"));
    bus.subscribe(keyApplied, ({ number }) => numbers.push(number));
    return bus;
  });
  publisher = busOf("gateway");
});

afterAll(async () => {
  await Promise.all([publisher, ...buses].map((bus) => bus.close()));
  await servers.stop();
});

let last = 0;

/** The bus of a gateway, which identity receives. */
let publisher: Bus;

const REPETITIONS_ARRIVE_MS = 100;
/** Longer than the timeout of the client. */
const HUNG_MS = 4_500;

function busOf(process: keyof NatsUrls): Bus {
  return createBus(servers.urls.nats[process], "test", createLog("test", "silent"));
}

/** Waits until every bus is connected. @returns how often each received one more notice */
async function noticeCounts(): Promise<number[]> {
  // A notice may overtake a new subscription, so notices are sent until one has arrived everywhere.
  await until(async () => {
    last += 1;
    publisher.publish(keyApplied, { gateway: "test", number: last });
    await sleep(50);
    return received.every((numbers) => numbers.includes(last));
  });
  last += 1;
  publisher.publish(keyApplied, { gateway: "test", number: last });
  await until(() => received.every((numbers) => numbers.includes(last)));
  await sleep(REPETITIONS_ARRIVE_MS);
  return received.map((numbers) => numbers.filter((number) => number === last).length);
}

describe("the bus: notices and broken servers", () => {
  it("delivers a notice to every subscriber once", async () => {
    expect(await noticeCounts()).toEqual([1, 1, 1, 1]);
  });

  it("delivers again after its server hung, also when connections to it time out late", async () => {
    servers.nats.pause();
    await sleep(HUNG_MS);
    servers.nats.resume();
    for (const end = performance.now() + 3_000; performance.now() < end;)
      expect(await noticeCounts()).toEqual([1, 1, 1, 1]);
  });

  it("delivers again after its server was killed, and is not connected meanwhile", async () => {
    await servers.nats.kill();
    await until(() => [publisher, ...buses].every((bus) => !bus.isConnected()));
    publisher.publish(keyApplied, { gateway: "test", number: 0 });
    await servers.nats.restart();
    expect(await noticeCounts()).toEqual([1, 1, 1, 1]);
    expect(received.flat()).not.toContain(0);
  });

  it("can be closed while its server hangs", async () => {
    const bus = busOf("gateway");
    await until(() => bus.isConnected());
    servers.nats.pause();
    try {
      await bus.close();
    } finally {
      servers.nats.resume();
    }
  });
});

describe("the bus: closing", () => {
  it("drops notices until it is closed, without failing their senders", async () => {
    const bus = busOf("gateway");
    await until(() => bus.isConnected());
    // Keeps the client in the last phase of draining.
    servers.nats.pause();
    try {
      const closing = bus.close();
      while (bus.isConnected()) {
        bus.publish(keyApplied, { gateway: "test", number: 0 });
        await sleep(10);
      }
      await closing;
      expect(() => bus.publish(keyApplied, { gateway: "test", number: 0 })).not.toThrow();
    } finally {
      servers.nats.resume();
    }
  });
});

describe("the bus: permissions", () => {
  it("lets each process publish and subscribe to exactly its subjects", async () => {
    const names = ["gateway", "identity", "topology"] as const;
    const messages = [keyChanged, keyApplied, networkDeleted, tagDeleted];
    const connections = await Promise.all(
      names.map(async (name) => {
        const { host, username: user, password: pass } = new URL(servers.urls.nats[name]);
        return connect({ servers: host, user, pass, reconnect: false });
      }),
    );
    const receivedBy: Record<string, string[]> = {};
    connections.forEach((connection, index) => {
      const received = (receivedBy[names[index] ?? ""] = [] as string[]);
      for (const { subject } of [...messages, { subject: ">" }])
        connection.subscribe(subject, {
          callback: (error, { subject }) => {
            if (error === null) received.push(subject);
          },
        });
    });
    for (const connection of connections) await connection.flush();
    for (const connection of connections) {
      for (const { subject } of messages) connection.publish(subject, "{}");
      await connection.flush();
    }
    for (const connection of connections) await connection.flush();
    await Promise.all(connections.map((connection) => connection.close()));
    expect(receivedBy).toEqual({
      gateway: [keyChanged.subject],
      identity: [keyApplied.subject, networkDeleted.subject, tagDeleted.subject],
      topology: [],
    });
  });
});

describe("the bus: TLS", () => {
  it("rejects a server without TLS when tls:// is required", async () => {
    const refusals: unknown[] = [];
    const log = createLog("test", "silent");
    log.warn = (fields: { err: unknown }) => refusals.push(fields.err);
    const bus = createBus(servers.urls.nats.gateway.replace("nats:", "tls:"), "test", log);
    await until(() => refusals.length > 0);
    expect((refusals[0] as NatsError).code).toBe(ErrorCode.ServerOptionNotAvailable);
    expect(bus.isConnected()).toBe(false);
    await bus.close();
  });

  it("connects by tls:// when the certificate can be verified, and not otherwise", async () => {
    const { dataDir } = servers;
    const files = { certificate: join(dataDir, "nats-certificate.pem"), key: join(dataDir, "nats-key.pem") };
    const made = createSelfSignedCertificate();
    await writeFile(files.certificate, made.certificate);
    await writeFile(files.key, made.key, { mode: 0o600 });
    const options = { dataDir: join(dataDir, "with-tls"), secrets: createSecrets(), report: () => undefined };
    const { component, urls } = await prepareServer("nats", options);
    const tls = `tls { cert_file: "${files.certificate}", key_file: "${files.key}" }`;
    await appendFile(component.args[1]!, `\n${tls}\n`);
    const server = await startHandle({ ...component, name: "nats-with-tls" }, dataDir);
    try {
      const url = urls!.gateway.replace("nats:", "tls:").replace("127.0.0.1", "localhost");
      const connect = async (env: NodeJS.ProcessEnv) =>
        (await execa(process.execPath, [BUS_PROCESS, url], { env })).stdout;
      const attempts = [connect({ NODE_EXTRA_CA_CERTS: files.certificate }), connect({})];
      expect(await Promise.all(attempts)).toEqual(["connected", expect.stringMatching(/self-signed certificate/)]);
    } finally {
      await server.stop();
    }
  });
});
