/** Requests from other origins, behind a proxy. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import type { StubCredential } from "../support/service-stub.js";

const ONE = "/api/v1/hosts/01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";
const LIST = "/api/v1/hosts";
const APP = "https://app.example.com";
let world: IsolatedGateways;
let key: StubCredential;
let session: StubCredential;

beforeAll(async () => {
  const env = { CORS_ORIGINS: `${APP}, http://localhost:5173`, TRUST_PROXY_HOPS: "1" };
  world = await startIsolatedGateways({ env, publicUrl: "http://topology.example.com" });
  key = world.stub.aKey();
  session = world.stub.aSession();
});

afterAll(async () => {
  await world.stop();
});

const preflight = (origin: string, path = LIST): Promise<Response> =>
  send("OPTIONS", path, {
    origin,
    "access-control-request-method": "PUT",
    "access-control-request-headers": "authorization",
  });

const send = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Response> =>
  fetch(world.url + path, { method, headers, body: body ?? null });

describe("a gateway with allowed origins", () => {
  it("responds to preflight requests, and does not count them", async () => {
    for (let time = 0; time < 40; time++) {
      const response = await preflight(APP);
      expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([204, null]);
      expect(response.headers.get("access-control-allow-origin")).toBe(APP);
      expect(response.headers.get("access-control-allow-methods")?.split(",")).toContain("PUT");
      expect(response.headers.get("access-control-allow-headers")?.split(",")).toContain("Authorization");
      expect(response.headers.get("vary")).toBe("Origin");
    }
  });

  it("lets a page of an allowed origin send every documented header", async () => {
    const allowed = (await preflight(APP)).headers.get("access-control-allow-headers")?.toLowerCase().split(",");
    const documented = new Set<string>();
    JSON.parse(
      await (await send("GET", "/openapi.json")).text(),
      (_name, value: { in?: unknown; name: string } | null) => {
        if (value?.in === "header") documented.add(value.name.toLowerCase());
        return value;
      },
    );
    expect(documented.size).toBeGreaterThan(2);
    expect(allowed).toEqual(expect.arrayContaining([...documented]));
  });

  it("lets a page of an allowed origin read responses and failures, with the documented headers", async () => {
    const success = await send("GET", ONE, { origin: "http://localhost:5173", ...key.headers });
    const failure = await send("GET", LIST, { origin: APP, "x-forwarded-for": "192.0.2.1" });
    expect([success.status, success.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "http://localhost:5173",
    ]);
    expect(success.headers.get("access-control-expose-headers")?.split(",")).toContain("ETag");
    expect([failure.status, failure.headers.get("access-control-allow-origin")]).toEqual([401, APP]);
  });

  it.each(["https://evil.example", "https://app.example.com.evil.example", "https://app.example.com:8443", "null"])(
    "allows nothing for %s",
    async (origin) => {
      for (const response of [await preflight(origin), await send("GET", ONE, { origin, ...key.headers })])
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("lets caches reuse no file for a page of another origin", async () => {
    const path = "/api/docs/swagger-ui.css";
    const seen: unknown[] = [];
    const own = await send("GET", path);
    const known = { origin: APP, "if-none-match": own.headers.get("etag")!, "cache-control": "max-age=0" };
    for (const response of [own, await send("GET", path, { origin: APP }), await send("GET", path, known)])
      seen.push([response.status, response.headers.get("vary")]);
    const vary = "Origin, Accept-Encoding";
    expect(seen).toEqual([
      [200, vary],
      [200, vary],
      [304, vary],
    ]);
  });

  it("never accepts a cookie from another origin", async () => {
    const response = await preflight(APP);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    const write = { ...session.headers, origin: APP, "content-type": "application/json" };
    expect((await send("POST", LIST, write, "{}")).status).toBe(403);
  });
});

describe("a gateway behind a proxy, reached by http", () => {
  it("does not send Strict-Transport-Security", async () => {
    expect((await send("GET", ONE, key.headers)).headers.get("strict-transport-security")).toBeNull();
  });

  it("uses the address from its proxy, whatever else the client claims", async () => {
    const remaining = async (forwarded: string): Promise<number> =>
      Number(
        (await send("GET", "/api/version", { "x-forwarded-for": forwarded })).headers.get("x-ratelimit-remaining"),
      );
    for (let time = 0; time < 25; time++) await remaining(`203.0.113.${time}, 192.0.2.77`);
    expect(await remaining("192.0.2.77")).toBe(0);
    expect(await remaining("192.0.2.77, 192.0.2.78")).toBe(19);
    await send("GET", ONE, { ...key.headers, "x-forwarded-for": "6.6.6.6, 192.0.2.79" });
    expect(world.stub.forwarded.at(-1)?.headers).toMatchObject({ "x-client-address": "192.0.2.79" });
  });
});
