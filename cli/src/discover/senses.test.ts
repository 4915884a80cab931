import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from "@jest/globals";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import createMulticastDns from "multicast-dns";
import { listenForNames } from "./announcements.js";
import { linesOfFile } from "./files.rules.js";
import { answeringIn, findIpv6 } from "./ipv6.js";
import { heardByLldp } from "./lldp.js";
import { findNeighbours } from "./neighbours.js";
import { scanWithNmap } from "./nmap.js";
import { createRate, forEach } from "./pace.js";
import { portsOf } from "./ports.js";
import { askProxmox } from "./proxmox.js";
import { createSenses, SENSES, Unavailable } from "./senses.js";
import { readSenseSettings } from "./settings.js";
import { walkLine } from "./snmp-values.rules.js";
import { askUnifi } from "./unifi.js";

const signal = new AbortController().signal;
const rate = createRate(10_000);
const pace = rate(signal);
const nothing = () => Promise.resolve(null);

describe("senses of a collector", () => {
  it("end at their deadline, and keep what they have found until then", async () => {
    const senses = createSenses(new Set(["ports"]), rate, { signal });
    const found: number[] = [];
    const result = await senses.use("ports", 50, async ({ pace: own }) => {
      await forEach([1, 2, 3], 1, async (n) => {
        await own();
        found.push(n);
        if (n === 2) await new Promise((resolve) => setTimeout(resolve, 60));
      });
      return found;
    });
    expect(result).toEqual([1, 2]);
    expect(senses.results().find(({ name }) => name === "ports")).toEqual({
      name: "ports",
      state: "ready",
      reason: "It was not finished after 0 s.",
    });
  });

  it("say why they cannot be used, which stops no other, and which were not asked for", async () => {
    const senses = createSenses(new Set(["lldp", "nmap"]), rate, { signal });
    expect(await senses.use("lldp", 1_000, () => heardByLldp(nothing, signal))).toBeNull();
    expect(await senses.use("snmp", 1_000, () => Promise.reject(new Error("must not be called")))).toBeNull();
    const states = senses.results();
    expect(states.map(({ name }) => name)).toEqual(SENSES);
    expect(states.filter(({ state }) => state === "unavailable")).toEqual([
      { name: "lldp", state: "unavailable", reason: expect.stringContaining("lldpd is missing") },
    ]);
    expect(states.find(({ name }) => name === "snmp")?.state).toBe("off");
  });

  it("take ports for open that have answered while the program had no processor", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    jest.useFakeTimers({ doNotFake: ["setImmediate", "nextTick", "performance", "queueMicrotask"] });
    try {
      const trying = portsOf(
        ["127.0.0.1"],
        [port],
        Object.assign(() => Promise.resolve(), { sent: () => undefined }),
        () => undefined,
      );
      for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => process.nextTick(resolve));
      jest.advanceTimersByTime(60_000);
      expect(await trying).toEqual([{ ip: "127.0.0.1", open: [port], silent: [] }]);
    } finally {
      jest.useRealTimers();
      server.close();
    }
  });

  it("end with the whole, and not with a reason", async () => {
    const stopping = new AbortController();
    const senses = createSenses(new Set(["ports"]), rate, { signal: stopping.signal });
    const using = senses.use("ports", 1_000, async ({ pace: own }) => {
      stopping.abort(new Error("stopped"));
      await own();
    });
    await expect(using).rejects.toThrow("stopped");
  });
});

describe("IPv6 neighbours", () => {
  // Of iputils 20221126.
  const PING = `PING ff02::1%eth0(ff02::1%eth0) from 2001:db8::1 : 56 data bytes
64 bytes from 2001:db8::1: icmp_seq=1 ttl=64 time=0.024 ms
64 bytes from 2001:db8::5: icmp_seq=1 ttl=64 time=0.060 ms (DUP!)
64 bytes from fe80::1c%eth0: icmp_seq=1 ttl=64 time=0.1 ms (DUP!)

--- ff02::1%eth0 ping statistics ---
3 packets transmitted, 3 received, +6 duplicates, 0% packet loss, time 2003ms
`;

  it("are those that answered and whose MAC address the kernel knows", async () => {
    expect([...answeringIn(PING)]).toEqual(["2001:db8::1", "2001:db8::5", "fe80::1c"]);
    const table = [
      { dst: "2001:db8::5", lladdr: "00:16:3e:00:00:05", state: ["REACHABLE"] },
      { dst: "2001:db8::6", lladdr: "00:16:3e:00:00:06", state: ["STALE"] },
      { dst: "fe80::1c", state: ["FAILED"] },
    ];
    const run = (program: string) => Promise.resolve(program === "ping" ? PING : JSON.stringify(table));
    expect(await findIpv6([{ ip: "2001:db8::1", link: "eth0" }], { run, pace, signal })).toEqual([
      { ip: "2001:db8::5", mac: "00:16:3e:00:00:05" },
    ]);
  });

  it("are not asked for without ping, or without an address to ask from", async () => {
    await expect(findIpv6([], { run: nothing, pace, signal })).rejects.toThrow("no IPv6 address");
    await expect(findIpv6([{ ip: "2001:db8::1", link: "eth0" }], { run: nothing, pace, signal })).rejects.toThrow(
      "ping",
    );
  });
});

describe("what machines announce", () => {
  it("is heard when they tell everybody", async () => {
    const printer = createMulticastDns({ interface: "127.0.0.1", bind: "0.0.0.0" });
    const name = "Printer._ipp._tcp.local";
    const tell = (): void =>
      printer.respond([
        { name, type: "SRV", ttl: 120, data: { target: "printer.local", port: 631 } },
        { name: "printer.local", type: "A", ttl: 120, data: "127.0.0.9" },
      ]);
    const enough = new AbortController();
    let told = 0;
    const telling = setInterval(() => {
      if (++told < 10) tell();
      else enough.abort();
    }, 20);
    try {
      const own = { ip: "127.0.0.1", mac: "", block: "127.0.0.0/8", link: "lo" };
      const found = await listenForNames([own], { pace, signal: enough.signal });
      expect(found.get("127.0.0.9")).toMatchObject({ hostname: "printer.local", name: "Printer" });
    } finally {
      clearInterval(telling);
      await new Promise<void>((resolve) => printer.destroy(() => resolve()));
    }
  });
});

describe("IPv4 neighbours", () => {
  it("that answered the last time are asked again before they count as gone, and no others", async () => {
    // When the kernel has their MAC addresses: it is asked twice for each question.
    const answersAfter = { "127.0.0.2": 0, "127.0.0.3": 2, "127.0.0.4": 2, "127.0.0.5": Infinity };
    let tables = 0;
    const run = (): Promise<string> => {
      const rows = Object.entries(answersAfter).map(([dst, after]) =>
        tables >= after ? { dst, lladdr: "00:16:3e:00:00:01", state: ["REACHABLE"] } : { dst, state: ["FAILED"] },
      );
      tables++;
      return Promise.resolve(JSON.stringify(rows));
    };
    const expected = new Set(["127.0.0.2", "127.0.0.3", "127.0.0.5"]);
    const { macs, unknown } = await findNeighbours(Object.keys(answersAfter), expected, { run, pace, signal });
    expect([[...macs.keys()], [...unknown], tables]).toEqual([["127.0.0.2", "127.0.0.3"], [], 4]);
  });
});

describe("nmap", () => {
  it("gets the rate, the machines that were found, and those to leave out", async () => {
    const commands: string[] = [];
    const run = (program: string, args: readonly string[]) => {
      commands.push([program, ...args].join(" "));
      return Promise.resolve("<nmaprun/>");
    };
    const scanning = { addresses: ["10.0.0.5"], excluded: ["10.0.0.9/32"], packetsPerSecond: 50 };
    expect(await scanWithNmap({ profile: "services", ...scanning }, run, signal)).toMatchObject({ format: "nmap" });
    expect(commands.at(-1)).toBe(
      "nmap -n -Pn -sT -sV --version-intensity 5 --max-rate 50 --host-timeout 5m --exclude 10.0.0.9/32 -oX - 10.0.0.5",
    );
    await expect(scanWithNmap({ profile: "services", ...scanning }, nothing, signal)).rejects.toThrow("missing");
  });
});

describe("what devices say by SNMP", () => {
  it.each([
    [2, 6, "INTEGER: 6"],
    [4, Buffer.from("Gi0/1"), 'STRING: "Gi0/1"'],
    [4, Buffer.from('a"b\\'), 'STRING: "a\\"b\\\\"'],
    [4, Buffer.from("00163e000001", "hex"), "Hex-STRING: 00 16 3E 00 00 01 "],
    [6, "1.3.6.1.4.1.9.1.1", "OID: .1.3.6.1.4.1.9.1.1"],
    [64, "10.0.0.1", "IpAddress: 10.0.0.1"],
    [66, 1_000_000_000, "Gauge32: 1000000000"],
    [67, 42, "Timeticks: (42)"],
    [70, Buffer.from("0100", "hex"), "Counter64: 256"],
  ])("is kept as snmpwalk prints it: type %s", (type, value, text) => {
    expect(walkLine("1.2.3", type, value)).toBe(`.1.2.3 = ${text}\n`);
  });
});

describe("files in a report", () => {
  it("are cut into lines that the server reads, and are whole when put together", () => {
    const text = "\u0001".repeat(25_000);
    const lines = linesOfFile({ format: "lldp", name: "lldp", text }) as { file: { text: string; of: number } }[];
    expect(lines.map(({ file }) => file.of)).toEqual([3, 3, 3]);
    expect(lines.map(({ file }) => file.text).join("")).toBe(text);
    expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(65_536);
  });
});

describe("systems that know other machines", () => {
  let server: Server;
  let url: string;
  let responses: Readonly<Record<string, unknown>> = {};
  const asked: { readonly path: string; readonly credential: string | undefined }[] = [];
  beforeAll(async () => {
    server = createServer(({ url: path = "", headers }, response) => {
      const credential = [headers.authorization, headers["x-api-key"]].flat()[0];
      asked.push({ path, credential });
      const known = responses[path];
      response
        .writeHead(known === undefined ? 500 : typeof known === "number" ? known : 200)
        .end(JSON.stringify(known));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    asked.splice(0);
  });
  afterAll(() => {
    server.close();
  });

  const proxmox = () => ({ url, insecure: true, token: "watcher@pve!nts=secret" });
  const notes: string[] = [];
  const given = { pace, signal, note: (reason: string) => notes.push(reason) };

  it("are Proxmox VE, whose running guests are asked for", async () => {
    const guests = [
      { id: "qemu/100", type: "qemu", node: "pve1", vmid: 100, name: "web", status: "running" },
      { id: "qemu/101", type: "qemu", node: "pve1", vmid: 101, name: "old", status: "stopped" },
      { id: "qemu/102", type: "qemu", node: "pve1", vmid: 102, name: "base", status: "running", template: 1 },
      { id: "lxc/200", type: "lxc", node: "pve2", vmid: 200, name: "dns", status: "running" },
      { id: "qemu/103", type: "qemu", node: "pve1", vmid: 103, name: "db", status: "running" },
    ];
    const config = { digest: "0".repeat(40), name: "web", net0: "virtio=BC:24:11:00:00:01,bridge=vmbr0" };
    responses = {
      "/api2/json/cluster/resources": { data: guests },
      "/api2/json/cluster/status": { data: [{ type: "node", name: "pve1", ip: "10.0.0.2", online: 1 }] },
      "/api2/json/nodes/pve1/qemu/100/config": { data: config },
      "/api2/json/nodes/pve1/qemu/100/agent/network-get-interfaces": { data: { result: [] } },
      "/api2/json/nodes/pve2/lxc/200/config": { data: { ...config, hostname: "dns" } },
      "/api2/json/nodes/pve2/lxc/200/interfaces": { data: [{ name: "eth0", hwaddr: "bc:24:11:00:00:02" }] },
    };
    const { format, text } = await askProxmox(proxmox(), given);
    expect(format).toBe("proxmox");
    const documents = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
    expect(documents).toHaveLength(6);
    expect(documents[0]).toEqual(guests);
    expect(notes.splice(0)).toEqual([expect.stringContaining("1 of 2 virtual machines have no guest agent")]);
    expect(new Set(asked.map(({ credential }) => credential))).toEqual(new Set(["PVEAPIToken=watcher@pve!nts=secret"]));
    expect(asked.map(({ path }) => path)).not.toContain("/api2/json/nodes/pve1/qemu/101/config");
  });

  it("refuse a token, which is said without the token", async () => {
    responses = { "/api2/json/cluster/resources": 401 };
    const refused = await askProxmox(proxmox(), given).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Unavailable);
    expect((refused as Error).message).toBe(
      `${url}/api2/json/cluster/resources responds with 401, its token is refused.`,
    );
  });

  it("are UniFi, whose devices and clients come in pages", async () => {
    const page = (data: readonly object[], totalCount = data.length) => ({
      offset: 0,
      limit: 200,
      count: data.length,
      totalCount,
      data,
    });
    const site = "/proxy/network/integration/v1/sites";
    const phone = { type: "WIRELESS", id: "2", name: "phone", ipAddress: "10.0.0.9", macAddress: "02:00:00:00:00:09" };
    responses = {
      [`${site}?offset=0&limit=200`]: page([{ id: "s 1", name: "Home" }]),
      [`${site}/s%201/devices?offset=0&limit=200`]: page([
        {
          id: "1",
          name: "Hall",
          model: "U6 Pro",
          macAddress: "94:2a:6f:26:c6:ca",
          ipAddress: "10.0.0.3",
          state: "ONLINE",
          features: ["accessPoint"],
        },
        {
          id: "3",
          name: "Attic",
          model: "U6 Pro",
          macAddress: "94:2a:6f:26:c6:cb",
          ipAddress: "10.0.0.4",
          state: "OFFLINE",
        },
      ]),
      [`${site}/s%201/clients?offset=0&limit=200`]: page([phone], 2),
      [`${site}/s%201/clients?offset=1&limit=200`]: page(
        [{ type: "WIRED", id: "4", name: "new", macAddress: "02:00:00:00:00:0a" }],
        2,
      ),
    };
    expect(await askUnifi({ url, insecure: true, api_key: "secret" }, given)).toEqual([
      {
        addresses: [{ ip: "10.0.0.3", mac: "94:2a:6f:26:c6:ca" }],
        name: "Hall",
        vendor: "Ubiquiti",
        model: "U6 Pro",
        role: "AccessPoint",
      },
      { addresses: [{ ip: "10.0.0.9", mac: "02:00:00:00:00:09" }], name: "phone" },
    ]);
  });

  it("may be away", async () => {
    const away = { url: "http://127.0.0.1:9", insecure: true, api_key: "secret" };
    await expect(askUnifi(away, given)).rejects.toThrow("http://127.0.0.1:9 cannot be asked: ECONNREFUSED.");
  });
});

describe("settings of senses", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "senses-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const readText = (value: object, mode = 0o600) => {
    const path = join(folder, "senses.json");
    writeFileSync(path, JSON.stringify(value));
    chmodSync(path, mode);
    return readSenseSettings(path);
  };

  it("are read whole", async () => {
    const value = {
      off: ["ssdp"],
      ports: "22,80-81",
      snmp: { communities: ["public"] },
      nmap: { profile: "services" },
      proxmox: [
        { url: "https://pve1.lan:8006", token: "watcher@pve!nts=secret", fingerprint: "AA:".repeat(31) + "AA" },
      ],
    };
    expect(await readText(value)).toMatchObject({ ports: [22, 80, 81], snmp: [{ community: "public" }], unifi: [] });
  });

  it.each([
    ["can be read by others", {}, 0o644, "chmod 600"],
    ["have a member that is unknown", { nmpa: {} }, 0o600, "there is no nmpa"],
    ["have an unknown profile", { nmap: { profile: "loud" } }, 0o600, "nmap.profile is not as documented"],
    [
      "send a token without encryption",
      { unifi: [{ url: "http://unifi.lan", api_key: "secret" }] },
      0o600,
      "not encrypted",
    ],
  ])("that %s are refused, and not shown", async (_what, value, mode, reason) => {
    const said = await readText(value, mode);
    expect(said).toContain(reason);
    expect(said).not.toContain("secret");
  });
});
