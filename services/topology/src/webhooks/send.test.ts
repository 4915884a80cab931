import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { WebhookInput } from "@nts/shared/contract";
import { createAddressGuard } from "./guard.js";
import { createSend, type Outcome, type ResolveName } from "./send.js";

/** Addresses that are not public, in every notation of a URL. */
const HOSTS = [
  ...["127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1"],
  ...["017700000001", "0177.0.0.1", "0177.0.0.0x1", "127.0.0.1.", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1"],
  ...[
    "0.0.0.0",
    "0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.254",
  ],
  ...["192.168.0.1", "192.168.1", "3232235777", "169.254.169.254", "0xa9fea9fe", "2852039166", "100.64.0.1"],
  ...["100.127.255.254", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.7"],
  ...["203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ...["[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]"],
  ...["[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]"],
  ...["[64:ff9b::a00:1]", "[64:ff9b:1::10.0.0.1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001:0:7f00:1::1]"],
  ...["[fe80::1]", "[febf::1]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]", "[ff0e::1]", "[100::1]"],
  ...["[2001:db8::1]", "[3fff::1]", "[2001:2::1]", "[2001:20::1]", "[5f00::1]", "[4000::1]", "[fd00:ec2::254]"],
];

/** The DNS records of names. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "private.example": ["10.0.0.1"],
  "loopback.example": ["127.0.0.1"],
  "loopback-6.example": ["::1"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "both.example": ["93.184.216.34", "127.0.0.1"],
  "both-turned.example": ["127.0.0.1", "93.184.216.34"],
  "both-6.example": ["2606:4700::1111", "fd00::1"],
  "zone.example": ["fe80::1%eth0"],
  "none.example": [],
  "nonsense.example": ["not an address"],
  localhost: ["127.0.0.1"],
  "localhost.": ["127.0.0.1"],
  "a.localhost": ["127.0.0.1"],
  mongodb: ["172.18.0.3"],
};

/** Malformed addresses, or with a password. */
const MALFORMED = [
  ...["ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)", "https://", "//example.com", "example.com"],
  ...["https://user@example.com/", "https://user:pw@example.com/", "https://example.com@127.0.0.1/"],
  ...["https://example.com/#@127.0.0.1", "https://127.0.0.1#.example.com", "https://1.2.3.4.5/", "https://[::1/"],
];

const signal = new AbortController().signal;
const message = { headers: {}, body: "{}", withinMs: 2_000, signal } as const;

let hits = 0;
let port = 0;
const servers: Server[] = [];

async function listening(handle: RequestListener, host = "127.0.0.1"): Promise<number> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  port = await listening((_request, response) => {
    hits += 1;
    response.end();
  });
});
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

/** Null when the URL is stored and sent; otherwise the step that rejects it. */
async function refusedAt(url: string, allow: readonly string[], resolve: ResolveName): Promise<string | null> {
  const guard = createAddressGuard(allow);
  const parsed = WebhookInput.shape.url.safeParse(url);
  if (!parsed.success || guard.faultOf(new URL(parsed.data)) !== null) return "stored";
  const { error } = await createSend(guard, resolve)({ ...message, url: parsed.data });
  return error === "no_address" ? "sent" : null;
}

const resolved: ResolveName = (name) => Promise.resolve(NAMES[name] ?? ["10.9.8.7"]);

describe("addresses that webhooks may not be sent to", () => {
  const corpus = [
    ...HOSTS.flatMap((host) => [`https://${host}/`, `http://${host}/`]),
    ...Object.keys(NAMES).flatMap((name) => [`https://${name}/`, `http://${name}/`]),
    ...MALFORMED,
  ];

  it(`are rejected: none of ${corpus.length} gets through, and none is connected to`, async () => {
    expect(HOSTS.length).toBeGreaterThan(60);
    const through: string[] = [];
    for (const url of corpus) {
      const here = url.replace(/^(https?:\/\/[^/?#]+)\/$/, `$1:${port}/`);
      if ((await refusedAt(here, [], resolved)) === null) through.push(here);
    }
    expect(through).toEqual([]);
    expect(hits).toBe(0);
  });

  it("stay rejected when they are outside the networks that the operator allows", async () => {
    const through: string[] = [];
    for (const url of corpus) if ((await refusedAt(url, ["10.77.0.0/16"], resolved)) === null) through.push(url);
    expect(through).toEqual([]);
  });

  it("are not accepted as public ones, which are allowed by https alone", () => {
    const guard = createAddressGuard([]);
    for (const address of ["8.8.8.8", "93.184.216.34", "1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1"]) {
      expect([address, guard.allows(address, "https:"), guard.allows(address, "http:")]).toEqual([
        address,
        true,
        false,
      ]);
    }
  });
});

describe("a delivery", () => {
  const allowed = createAddressGuard(["127.0.0.1/32"]);
  const toName = (resolve: ResolveName): Promise<Outcome> =>
    createSend(allowed, resolve)({ ...message, url: `http://receiver.example:${port}/` });

  it("connects to the address that was checked: the name is resolved once", async () => {
    let lookups = 0;
    hits = 0;
    const rebinding: ResolveName = () => Promise.resolve([["127.0.0.1"], ["10.0.0.1"]][lookups++] ?? []);
    expect(await toName(rebinding)).toMatchObject({ status: 200, error: null });
    expect([lookups, hits]).toEqual([1, 1]);
    expect(await toName(rebinding)).toMatchObject({ status: null, error: "no_address" });
    expect(hits).toBe(1);
  });

  it("does not follow redirects", async () => {
    hits = 0;
    const redirecting = await listening((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end();
    });
    const url = `http://127.0.0.1:${redirecting}/`;
    expect(await createSend(allowed)({ ...message, url })).toMatchObject({ status: 307, error: "refused" });
    expect(hits).toBe(0);
  });

  it("times out when there is no response, and when the response does not end", async () => {
    const silent = await listening(() => undefined);
    const dripping = await listening((_request, response) => {
      response.writeHead(200).write("a");
    });
    for (const one of [silent, dripping]) {
      const url = `http://127.0.0.1:${one}/`;
      expect(await createSend(allowed)({ ...message, withinMs: 200, url })).toMatchObject({
        status: null,
        error: "timeout",
      });
    }
    for (const server of servers) server.closeAllConnections();
  });

  it("times out when the name is not resolved", async () => {
    const silent: ResolveName = () => new Promise(() => undefined);
    const sending = { ...message, withinMs: 200, url: "http://receiver.example/" };
    expect(await createSend(allowed, silent)(sending)).toMatchObject({ status: null, error: "timeout" });
  });

  it("reads no more of a response than it needs", async () => {
    let sent = 0;
    const endless = await listening((_request, response) => {
      const more = (): void => {
        sent += 65_536;
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(more));
      };
      more();
    });
    const outcome = await createSend(allowed)({ ...message, url: `http://127.0.0.1:${endless}/` });
    expect(outcome).toMatchObject({ status: 200, error: null });
    expect(sent).toBeLessThan(50_000_000);
  });
});
