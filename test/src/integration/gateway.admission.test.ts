import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";
import { until } from "../support/until.js";

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

let world: IsolatedGateways;
let key: StubCredential;
let session: StubCredential;

beforeAll(async () => {
  world = await startIsolatedGateways();
  key = world.stub.aKey();
  session = world.stub.aSession();
});

afterAll(async () => {
  await world.stop();
});

describe("admission to the gateway", () => {
  it("reports which credential is missing, malformed, expired or of the wrong kind", async () => {
    const codeOf = async (path: string, headers: Record<string, string>): Promise<string> => {
      const response = await fetch(world.url + path, { headers });
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code}`;
    };
    expect(await codeOf("/api/v1/hosts", {})).toBe("401 not_authenticated");
    expect(await codeOf("/api/v1/hosts", { authorization: "Basic YTpi" })).toBe("401 not_authenticated");
    expect(await codeOf("/api/v1/hosts", { authorization: "Bearer x" })).toBe("401 api_key_invalid");
    expect(await codeOf("/api/v1/hosts", { cookie: "session_id=short" })).toBe("401 session_expired");
    expect(await codeOf("/api/auth/me", { ...key.headers })).toBe("403 session_required");
    expect(await codeOf("/api/auth/me", { ...key.headers, ...session.headers })).toBe("403 session_required");
    const viewer = world.stub.aKey({ permission: "Viewer" });
    const response = await fetch(`${world.url}/api/v1/hosts/${ID}`, { method: "DELETE", headers: viewer.headers });
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: "permission_denied", params: { required: "Member" } },
    ]);
  });

  it("rejects writes with a cookie that a page of another site could have sent", async () => {
    const write = async (headers: Record<string, string>): Promise<number> =>
      (
        await fetch(`${world.url}/api/v1/hosts`, {
          method: "POST",
          body: "{}",
          headers: { ...session.headers, ...headers },
        })
      ).status;
    const json = { "content-type": "application/json" };
    expect(await write(json)).toBe(200);
    expect(await write({ ...json, origin: "https://topology.example.com" })).toBe(200);
    expect(await write({ ...json, origin: world.url })).toBe(200);
    expect(await write({ ...json, origin: "https://evil.example" })).toBe(403);
    expect(await write({ "content-type": "text/plain" })).toBe(403);
    expect(
      (
        await fetch(`${world.url}/api/v1/hosts`, {
          method: "POST",
          body: "{}",
          headers: { ...key.headers, ...json, origin: "https://evil.example" },
        })
      ).status,
    ).toBe(200);
  });
});

describe("the log of the gateway", () => {
  it("has a line for each request with its ids, and never a secret", async () => {
    const both = { ...key.headers, cookie: `session_id=${session.secret}` };
    const response = await fetch(`${world.url}/api/v1/hosts/${ID}?tag_ids=private`, { headers: both });
    await response.arrayBuffer();
    const requestId = response.headers.get("x-request-id") ?? "";
    // The line is written after the response was sent.
    let log = "";
    let line: string | undefined;
    await until(async () => {
      log = await readFile(world.gateways[0]!.logFile, "utf8");
      line = log.split("\n").find((text) => text.includes(requestId));
      return line !== undefined;
    });
    expect(JSON.parse(line!)).toMatchObject({
      operation: "get_host_by_id",
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "user.id": key.userId,
      key_id: key.credentialId,
    });
    for (const secret of [key.secret, session.secret, "private"]) expect(log).not.toContain(secret);
  });
});
