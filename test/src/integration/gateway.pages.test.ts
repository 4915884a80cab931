import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";
import { until } from "../support/until.js";

describe("the documentation pages of the gateway", () => {
  let world: IsolatedGateways;

  beforeAll(async () => {
    world = await startIsolatedGateways();
  });

  afterAll(async () => {
    await world.stop();
  });

  it("include the OpenAPI document and a page for it that loads nothing from elsewhere", async () => {
    const document = await fetch(`${world.url}/openapi.json`);
    expect(await document.json()).toMatchObject({ openapi: "3.1.0" });
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
    const [before, after] = [await fetch(`${world.url}/openapi.json`), await fetch(`${world.url}/api/docs`)];
    const remaining = (response: Response): number => Number(response.headers.get("x-ratelimit-remaining"));
    expect(before.headers.get("x-ratelimit-limit")).toBe("60");
    expect(remaining(after)).toBeLessThanOrEqual(remaining(before));
    const burst = await Promise.all(Array.from({ length: 30 }, () => fetch(`${world.url}/openapi.json`)));
    expect(burst.some(({ status }) => status === 429)).toBe(true);
  });
});
