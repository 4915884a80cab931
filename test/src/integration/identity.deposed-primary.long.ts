/**
 * A primary is paused while another one is elected: after it continues, it briefly takes itself for the primary and
 * would return outdated data. Here identity reaches only this member at first.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { logout } from "@nts/shared/contract/users";
import { verifyCredential } from "@nts/shared/contract/internal";
import { hashCredential } from "@nts/shared/credential";
import { freePorts } from "@nts/local/processes/ports";
import { createProcess, type System, urlOf } from "@nts/local/processes/system";
import { createSecrets } from "@nts/local/secrets";
import { createDirect, type Direct } from "../support/direct.js";
import { type Handle, startHandle } from "../support/handle.js";
import { type ReplicaSet, startReplicaSet } from "../support/replica-set.js";
import { type ProcessHandle, type Servers, startServers } from "../support/stack.js";
import { until } from "../support/until.js";

const AT_ONCE = 24;
/** Time for requests to reach the paused server; the test holds in either case. */
const QUESTIONS_ARRIVE_MS = 300;

let servers: Servers;
let set: ReplicaSet;
let deposed: Handle;
let identities: ProcessHandle[];
let identity: Direct;

beforeAll(async () => {
  servers = await startServers();
  set = await startReplicaSet(servers.dataDir);
  const primary = await set.primary();
  deposed = primary.handle;
  const secrets = createSecrets();
  const ports = await freePorts(4);
  const start = async (index: number, mongodb: string): Promise<ProcessHandle> => {
    const own = { port: ports[2 * index] ?? 0, opsPort: ports[2 * index + 1] ?? 0 };
    const system: System = {
      ...{ dataDir: servers.dataDir, secrets, servers: { ...servers.urls, mongodb } },
      ...{ publicUrl: "http://127.0.0.1", databases: { identity: "identity", topology: "topology" } },
      ...{ environment: { PATH: process.env["PATH"] }, identityUrls: [], topologyUrls: ["http://127.0.0.1:9"] },
    };
    const handle = await startHandle(createProcess("identity", `identity-${index + 1}`, own, system), servers.dataDir);
    return { ...handle, url: urlOf(own), opsUrl: "" };
  };
  identities = [await start(0, set.url), await start(1, primary.url)];
  identity = createDirect({ tenancySecrets: secrets.tenancySecrets, identities, topologies: [] });
});

afterAll(async () => {
  await Promise.all(identities.map((one) => one.kill()));
  await set.stop();
  await servers.stop();
});

describe("a deposed primary that does not know it yet", () => {
  it("makes no gateway accept an ended session", async () => {
    const person = await identity.aPerson();
    expect(await identity.verify("session", person.token, 1)).toMatchObject({ status: "valid" });
    deposed.pause();
    await set.untilReplaced(deposed);
    await until(async () => (await identity.send(logout, { as: person.principal })).status === 200, 100, 60_000);

    // Sent after the response to the logout; the old primary reads the requests when it continues.
    const body = { kind: "session", hash: hashCredential(person.token) } as const;
    const verifications = Array.from({ length: AT_ONCE }, () =>
      identity.send(verifyCredential, { as: { kind: "process" }, replica: 1, body }),
    );
    await sleep(QUESTIONS_ARRIVE_MS);
    deposed.resume();
    const responses = (await Promise.all(verifications)).map(({ status, data }) =>
      status === 200 ? data.status : status,
    );
    expect(responses).toHaveLength(AT_ONCE);
    expect(responses.filter((response) => response === "valid")).toEqual([]);
  });
});
