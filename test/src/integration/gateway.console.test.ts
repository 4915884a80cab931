import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConsole } from "@nts/gateway/console/console";
import { type IsolatedGateways, startIsolatedGateways } from "../support/isolated-gateways.js";

/** The first page loads its document and what that references, and no page code yet. */
const FIRST_VIEW_LIMIT_BYTES = 350_000;

const WORTH_PACKING_BYTES = 1_024;

const ID = "01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f";

let world: IsolatedGateways;

beforeAll(async () => {
  world = await startIsolatedGateways();
});

afterAll(() => world.stop());

/** A response as it was sent, which `fetch` would decompress. */
async function get(path: string, headers: Record<string, string> = {}, method = "GET") {
  const { hostname, port } = new URL(world.url);
  return new Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          bytes: Buffer.concat(chunks),
        }),
      );
    });
    sent.on("error", reject).end();
  });
}

async function assetsOfDocument(): Promise<string[]> {
  const html = (await get("/")).bytes.toString();
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
}

describe("the console: its document", () => {
  it.each(["/", "/hosts", `/hosts/${ID}`, "/sign-in?next=%2Fhosts", "/topology"])("is served at %s", async (path) => {
    const { status, headers, bytes } = await get(path);
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "text/html; charset=utf-8",
      "no-cache",
    ]);
    expect(bytes.toString()).toContain('<div id="root">');
  });

  it("allows no script or style but its own files, and loads nothing from elsewhere", async () => {
    const { headers, bytes } = await get("/");
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
    });
    const html = bytes.toString();
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|https?:/);
    expect((await assetsOfDocument()).length).toBeGreaterThanOrEqual(2);
  });

  it("returns 304 when the browser has it, and its length for HEAD", async () => {
    const { headers, bytes } = await get("/");
    const again = await get("/hosts", { "if-none-match": `"other", W/${headers["etag"]!}` });
    expect([again.status, again.bytes.length, again.headers["etag"]]).toEqual([304, 0, headers["etag"]]);
    const head = await get("/", {}, "HEAD");
    expect([head.status, head.bytes.length, head.headers["content-length"]]).toEqual([200, 0, String(bytes.length)]);
  });
});

describe("the console: its files", () => {
  it("are compressed for clients that accept it, and cached for a year", async () => {
    const files = await Promise.all((await assetsOfDocument()).map(async (path) => ({ path, plain: await get(path) })));
    const large = files.filter(({ plain }) => plain.bytes.length >= WORTH_PACKING_BYTES);
    expect(large.length).toBeGreaterThanOrEqual(2);
    for (const { path, plain } of large) {
      expect(plain.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(plain.headers["vary"]).toBe("Accept-Encoding");
      expect(plain.headers["content-encoding"]).toBeUndefined();
      for (const encoding of ["gzip", "br"]) {
        const packed = await get(path, { "accept-encoding": encoding });
        expect([packed.status, packed.headers["content-encoding"]]).toEqual([200, encoding]);
        expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
        const unpacked = await fetch(world.url + path, { headers: { "accept-encoding": encoding } });
        expect(Buffer.from(await unpacked.arrayBuffer()).equals(plain.bytes)).toBe(true);
      }
    }
  });

  it("load less than 350 kB for the first page", async () => {
    const paths = ["/", ...(await assetsOfDocument())];
    const responses = await Promise.all(paths.map((path) => get(path, { "accept-encoding": "gzip" })));
    const bytes = responses.reduce((sum, response) => sum + response.bytes.length, 0);
    expect(bytes).toBeLessThan(FIRST_VIEW_LIMIT_BYTES);
    expect(bytes).toBeGreaterThan(50_000);
  });

  it("do not count towards a rate limit", async () => {
    const responses = await Promise.all(Array.from({ length: 80 }, () => get("/")));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(responses[0]!.headers["x-ratelimit-limit"]).toBeUndefined();
    expect((await get("/api/version")).status).toBe(200);
  });

  it("are read-only, at their own paths only", async () => {
    const posted = await get("/hosts", {}, "POST");
    expect([posted.status, posted.headers["allow"]]).toEqual([405, "GET, HEAD, OPTIONS"]);
    for (const path of ["/nowhere", "/hosts/x", `/hosts/${ID}/x`, "/assets/absent.js", "/site.json", "/index.html"])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });
});

describe("an unknown path", () => {
  const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

  it.each(["/nowhere", "/hosts/x", "/assets/absent.js"])(
    "is answered with a page for a browser, at %s",
    async (path) => {
      const { status, headers, bytes } = await get(path, BROWSER);
      expect([status, headers["content-type"], headers["vary"]]).toEqual([
        404,
        "text/html; charset=utf-8",
        "Accept, Accept-Encoding",
      ]);
      expect(bytes.toString()).toContain('<div id="root">');
      expect(headers["x-ratelimit-limit"]).toBeDefined();
    },
  );

  it.each([
    ["/nowhere", {}, "GET"],
    ["/nowhere", { accept: "*/*" }, "GET"],
    ["/nowhere", { accept: "application/json, text/plain, */*" }, "GET"],
    ["/nowhere", BROWSER, "POST"],
    ["/api", BROWSER, "GET"],
    ["/api/v1/nowhere", BROWSER, "GET"],
  ])("is answered with an envelope for everybody else, at %s with %j, %s", async (path, headers, method) => {
    const response = await get(path, headers, method);
    expect([response.status, response.headers["content-type"]]).toEqual([404, "application/json; charset=utf-8"]);
    expect(JSON.parse(response.bytes.toString())).toMatchObject({ success: false, code: "not_found" });
  });
});

describe("a gateway that was built without the console", () => {
  it("says so at /, and has no other path", async () => {
    const folder = await mkdtemp(join(tmpdir(), "nts-no-site-"));
    try {
      const { find } = createConsole(folder);
      expect([find("/hosts"), find("/sign-in")]).toEqual([null, null]);
      const file = find("/")!;
      expect([file.status, file.contentType]).toEqual([404, "text/html; charset=utf-8"]);
      expect(file.contents.get("identity")!.toString()).toContain("built without its console");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
