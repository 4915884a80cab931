import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { reportOf } from "./report.rules.js";
import { connectionsOf } from "./snmp.js";
import { readSnmpCredentials } from "./snmp-credentials.js";
import { addressesIn, neighboursIn, systemIn, vendorIn } from "./snmp-values.rules.js";

describe("nts collect --discover: what devices say by SNMP", () => {
  it.each([
    ["Linux nas 6.1.0-18-amd64 #1 SMP Debian x86_64", { name: "Linux", version: "6.1.0-18-amd64" }],
    ["RouterOS RB750Gr3", { name: "RouterOS", version: null }],
    ["Cisco IOS Software, C2960 Software, Version 15.0(2)SE11, RELEASE", { name: "Cisco IOS", version: "15.0(2)SE11" }],
    ["HP ETHERNET MULTI-ENVIRONMENT", null],
  ])("%s", (description, system) => expect(systemIn(description)).toEqual(system));

  it("names vendors by their numbers", () => {
    expect(["1.3.6.1.4.1.14988.1", "1.3.6.1.4.1.9.1.1208", "1.3.6.1.4.1.8072.3.2.10", ""].map(vendorIn)).toEqual([
      "MikroTik",
      "Cisco",
      null,
      null,
    ]);
  });

  it("has addresses that others can reach, with the MAC addresses of their interfaces", () => {
    const macs = [
      ["2", Buffer.from("00163e000001", "hex")],
      ["3", Buffer.alloc(0)],
    ] as const;
    const rows = [
      ["127.0.0.1", 1],
      ["10.0.0.1", 2],
      ["10.0.1.1", 3],
    ] as const;
    expect(addressesIn(rows, macs)).toEqual([
      { ip: "10.0.0.1", mac: "00:16:3e:00:00:01" },
      { ip: "10.0.1.1", mac: null },
    ]);
  });

  it("knows neighbours, but none without a MAC address of one card", () => {
    const rows = [
      ["2.10.0.0.5", Buffer.from("00163e000005", "hex")],
      ["2.10.0.0.6", Buffer.from("ffffffffffff", "hex")],
      ["2.10.0.0.7", Buffer.alloc(6)],
    ] as const;
    expect(neighboursIn(rows)).toEqual([{ ip: "10.0.0.5", mac: "00:16:3e:00:00:05" }]);
  });

  it("makes its addresses one machine, and those that only it knows others, if they are looked at", () => {
    const router = {
      ...{ name: "gw", vendor: "MikroTik", model: null, serial: "A1", os: null },
      addresses: [
        { ip: "10.0.0.1", mac: "00:16:3e:00:00:01" },
        { ip: "10.0.1.1", mac: "00:16:3e:00:00:02" },
        { ip: "192.0.2.1", mac: null },
      ],
      neighbours: [
        { ip: "10.0.1.5", mac: "00:16:3e:00:00:05" },
        { ip: "192.0.2.9", mac: "00:16:3e:00:00:09" },
      ],
      walk: "",
    };
    const lines = reportOf({
      ...{ startedAt: new Date(0), blocks: [], excluded: [], covered: [], ports: [22] },
      found: [
        { ip: "10.0.0.1", mac: "00:16:3e:00:00:01", open: [22], silent: [] },
        { ip: "10.0.1.1", mac: null, open: [22], silent: [] },
      ],
      ...{ names: new Map(), answers: new Map(), announced: new Map(), ownName: "watcher" },
      bySnmp: new Map([["10.0.0.1", router]]),
      isTarget: (ip) => ip.startsWith("10."),
    });
    expect(JSON.parse(JSON.stringify(lines.slice(1, 3)))).toEqual([
      {
        host: {
          addresses: [
            { ip: "10.0.0.1", mac: "00:16:3e:00:00:01" },
            { ip: "10.0.1.1", mac: "00:16:3e:00:00:02" },
          ],
          ...{ hostname: "gw", name: "gw", vendor: "MikroTik", serial: "A1" },
          ports: [
            { port: 22, protocol: "tcp" },
            { port: 22, protocol: "tcp", ip: "10.0.1.1" },
            { port: 161, protocol: "udp", service: "snmp", answered: true },
          ],
        },
      },
      { host: { addresses: [{ ip: "10.0.1.5", mac: "00:16:3e:00:00:05" }] } },
    ]);
  });
});

describe("how a device is connected", () => {
  const MACS = "1.3.6.1.2.1.17.4.3.1";
  const end = { oid: "1.3.6.1.2.1.99.1", type: 2, value: 0 };
  /** A switch with so many rows of MAC addresses. @param failure at the request with this number for them */
  const switchWith = (count: number, failure: { readonly at: number; readonly name: string } | null) => {
    let asked = 0;
    type GetBulk = Parameters<typeof connectionsOf>[0]["getBulk"];
    const responseTo = (from: string, together: number): readonly object[] => {
      const first = from === MACS ? 1 : Number(from.split(".").at(-1)) + 1;
      const numbers = Array.from({ length: together }, (_, n) => first + n);
      return numbers.map((n) => (n > count ? end : { oid: `${MACS}.2.${n}`, type: 2, value: 7 }));
    };
    const getBulk = ((
      [from = ""]: string[],
      _none: number,
      together: number,
      answer: (...given: unknown[]) => void,
    ) => {
      const isOfMacs = `${from}.`.startsWith(`${MACS}.`);
      if (isOfMacs && ++asked === failure?.at) answer(Object.assign(new Error(), { name: failure.name }));
      else answer(null, [isOfMacs ? responseTo(from, together) : [end]]);
    }) as unknown as GetBulk;
    return connectionsOf(
      { getBulk },
      Object.assign(() => Promise.resolve(), { sent: () => undefined }),
    );
  };

  it("is known whole or not at all: with some MAC addresses of a port, it would seem to lead to a single machine", async () => {
    expect((await switchWith(60, null))?.split("\n").length).toBe(61);
    expect(await switchWith(60, { at: 2, name: "RequestTimedOutError" })).toBeNull();
    expect(await switchWith(100_000, null)).toBeNull();
  });

  it("is told without a table that the device refuses to tell", async () => {
    expect(await switchWith(60, { at: 2, name: "RequestFailedError" })).toBe("");
  });
});

describe("nts collect --discover: credentials for SNMP", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "snmp-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const readText = (text: string, mode = 0o600) => {
    const path = join(folder, "snmp.json");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return readSnmpCredentials(path);
  };

  it("are communities and users", async () => {
    const users = [{ name: "watcher", auth_key: "auth-secret", priv_key: "priv-secret" }, { name: "open" }];
    expect(await readText(JSON.stringify({ communities: ["public"], users }))).toEqual([
      { community: "public" },
      {
        user: {
          name: "watcher",
          level: 3,
          authProtocol: 3,
          authKey: "auth-secret",
          privProtocol: 4,
          privKey: "priv-secret",
        },
      },
      { user: { name: "open", level: 1 } },
    ]);
  });

  it.each([
    ["readable by others", "{}", 0o644, "can be read by others: chmod 600"],
    ["not JSON", "communities: public", 0o600, "is not JSON"],
    ["of another form", '{"communities":"public"}', 0o600, "communities is not as documented"],
  ])("that are %s are refused, and not shown", async (_what, text, mode, reason) => {
    const said = await readText(text, mode);
    expect(said).toContain(reason);
    expect(said).not.toContain("public");
  });

  it("that are missing have a reason", async () => {
    expect(await readSnmpCredentials(join(folder, "none"))).toContain("cannot be read (ENOENT)");
  });
});
