import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { until } from "../support/until.js";

const CONTACTS = ["mailto:security@topology.example.com", "https://topology.example.com/report"] as const;

let world: IsolatedGateways;

beforeAll(async () => {
  world = await startIsolatedGateways({ env: { SECURITY_CONTACT: `${CONTACTS[0]}, ${CONTACTS[1]}` } });
});

afterAll(async () => {
  await world.stop();
});

describe("the security contact of an installation", () => {
  it("is served for less than a year", async () => {
    const response = await fetch(`${world.url}/.well-known/security.txt`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const fields = (await response.text())
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(/: (.*)/s).slice(0, 2));
    const [expires] = fields.filter(([name]) => name === "Expires").map(([, value]) => Date.parse(value ?? ""));
    const days = ((expires ?? 0) - Date.now()) / 86_400_000;
    expect([days > 30, days < 365]).toEqual([true, true]);
    expect(fields.filter(([name]) => name !== "Expires")).toEqual([
      ...CONTACTS.map((contact) => ["Contact", contact]),
      ["Preferred-Languages", "en"],
      ["Canonical", "https://topology.example.com/.well-known/security.txt"],
    ]);
  });
});

describe("the documentation pages of the gateway", () => {
  it("include the OpenAPI document and a page for it that loads nothing from elsewhere", async () => {
    const document = await fetch(`${world.url}/openapi.json`);
    expect(await document.json()).toMatchObject({ openapi: "3.1.0" });
    const editionOf = async (asked: string) => {
      const response = await fetch(`${world.url}/openapi.json?openapi=${asked}`);
      return response.ok ? ((await response.json()) as { openapi: string }).openapi : response.status;
    };
    expect(await Promise.all(["3.0", "3.0.3", "3.1", "2.0"].map(editionOf))).toEqual(["3.0.3", "3.0.3", "3.1.0", 404]);
    const page = await fetch(`${world.url}/api/docs`);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    const html = await page.text();
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThanOrEqual(4);
    for (const path of paths) {
      expect(path).toMatch(/^\/api\/docs\//);
      expect((await fetch(world.url + path)).status).toBe(200);
    }
    expect(html).not.toMatch(/<script(?![^>]*src=)|style=/);
  });

  it("are compressed for clients that accept it, and 304 for those that have them", async () => {
    for (const path of ["/openapi.json", "/api/docs/swagger-ui-bundle.js"]) {
      const plain = await fetch(world.url + path, { headers: { "accept-encoding": "identity" } });
      const text = await plain.text();
      expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([null, "Accept-Encoding"]);
      for (const encoding of ["gzip", "br"]) {
        let packed = plain;
        // The first request does not wait for the compression.
        await until(async () => {
          packed = await fetch(world.url + path, { headers: { "accept-encoding": encoding } });
          return packed.headers.get("content-encoding") === encoding;
        }, 300);
        expect(Number(packed.headers.get("content-length"))).toBeLessThan(text.length / 2);
        expect(await packed.text()).toBe(text);
      }
      const headers = { "if-none-match": plain.headers.get("etag")!, "cache-control": "max-age=0" };
      const again = await fetch(world.url + path, { headers });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
  });

  it("count against the address like any request without a credential", async () => {
    const before = await fetch(`${world.url}/openapi.json`);
    const after = await fetch(`${world.url}/api/docs`);
    const remaining = (response: Response): number => Number(response.headers.get("x-ratelimit-remaining"));
    expect(before.headers.get("x-ratelimit-limit")).toBe("60");
    expect(remaining(after)).toBeLessThanOrEqual(remaining(before));
    const burst = await Promise.all(Array.from({ length: 30 }, () => fetch(`${world.url}/openapi.json`)));
    expect(burst.some(({ status }) => status === 429)).toBe(true);
  });
});
