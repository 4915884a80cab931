import { describe, expect, it } from "@jest/globals";
import { addressesOf, blockIn, blocksOf, ownAddressesAmong } from "./blocks.js";
import { faultIn } from "./discover.js";
import { greetingIn, pageIn } from "./greetings.rules.js";
import { createRate } from "./pace.js";
import { portsIn } from "./ports.js";
import { rangesOf, reportOf } from "./report.rules.js";

describe("nts collect --discover: addresses", () => {
  it.each([
    ["10.0.0.5/30", "10.0.0.4/30"],
    ["10.0.0.5", "10.0.0.5/32"],
    ["10.0.0.0/33", null],
    ["10.0.0.0/24/1", null],
    ["fe80::1", null],
    ["router", null],
  ])("%s is %s", (text, block) => expect(blockIn(text)).toBe(block));

  it("are each looked at once, without network, broadcast and excluded addresses", () => {
    expect(addressesOf(["10.0.0.4/30", "10.0.0.0/29", "10.1.0.0/31"], ["10.0.0.2/31"])).toEqual([
      "10.0.0.1",
      "10.0.0.4",
      "10.0.0.5",
      "10.0.0.6",
      "10.1.0.0",
      "10.1.0.1",
    ]);
  });

  it("are no more than a run can take", () => {
    expect(addressesOf(["10.0.0.0/15"], [])).toBeNull();
    expect(addressesOf(["10.0.0.0/16"], [])).toHaveLength(65_534);
  });

  it("are those of this machine's links by default, but not of containers, tunnels and very large links", () => {
    const at = (cidr: string, more: object = {}) => [
      {
        address: cidr.split("/", 1)[0] ?? "",
        netmask: "",
        family: "IPv4" as const,
        mac: "00:16:3e:00:00:01",
        internal: false,
        cidr,
        ...more,
      },
    ];
    const own = ownAddressesAmong({
      lo: at("127.0.0.1/8", { internal: true }),
      eth0: at("192.168.1.20/24"),
      eth1: at("10.0.0.1/8"),
      docker0: at("172.17.0.1/16"),
      wg0: at("10.9.0.2/24"),
    });
    expect(blocksOf(own)).toEqual(["192.168.1.0/24"]);
  });

  it.each([
    [{ blocks: ["router"] }, "router is not an address or block, such as 192.168.1.0/24."],
    [{ packetsPerSecond: 0 }, "The rate must be from 1 to 10000 packets a second."],
    [{}, null],
  ])("and options are checked before anything is sent: %j", (options, fault) =>
    expect(faultIn({ blocks: [], excluded: [], packetsPerSecond: 500, ...options })).toBe(fault),
  );
});

describe("nts collect --discover: ports", () => {
  it.each([
    ["22,80-82", [22, 80, 81, 82]],
    ["80,80", [80]],
    ["0", null],
    ["90-80", null],
    ["ssh", null],
  ])("%s", (text, ports) => expect(portsIn(text)).toEqual(ports));

  it("are written as ranges", () => expect(rangesOf([443, 22, 80, 81, 82])).toBe("22,80-82,443"));

  it("wait for what was sent meanwhile", async () => {
    const pace = createRate(100)(new AbortController().signal);
    const startedAt = performance.now();
    const waiting = [pace(5), pace(5)];
    await waiting[0];
    pace.sent(10);
    await Promise.all([...waiting, pace()]);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });

  it.each([
    ["one packet", 20, 1],
    ["several packets", 4, 5],
  ])("are tried no faster than told, at %s each", async (_, questions, packets) => {
    const pace = createRate(100)(new AbortController().signal);
    const startedAt = performance.now();
    for (let n = 0; n < questions; n++) await pace(packets);
    expect(performance.now() - startedAt).toBeGreaterThan(150);
  });
});

describe("nts collect --discover: what servers say", () => {
  it.each([
    ["SSH-2.0-OpenSSH_9.6p1 Debian-3\r\n", { service: "ssh", product: "OpenSSH", version: "9.6p1" }],
    ["SSH-2.0-dropbear_2022.83\r\n", { service: "ssh", product: "dropbear", version: "2022.83" }],
    ["SSH-2.0-Go\r\n", { service: "ssh", product: "Go", version: null }],
    ["220 (vsFTPd 3.0.5)\r\n", { service: "ftp", product: "vsFTPd", version: "3.0.5" }],
    ["220 mail.example.com ESMTP Postfix (Debian)\r\n", { service: "smtp", product: "Postfix", version: null }],
    ["* OK [CAPABILITY IMAP4rev1] Dovecot ready.\r\n", { service: "imap", product: "Dovecot", version: null }],
    ["J\0\0\0\n8.0.36\0", { service: "mysql", product: "MySQL", version: "8.0.36" }],
    ["Z\0\0\0\n5.5.5-10.11.6-MariaDB\0", { service: "mysql", product: "MariaDB", version: null }],
    ["RFB 003.008\n", { service: "vnc", product: null, version: null }],
    ["+OK POP3 ready\r\n", { service: "pop3", product: null, version: null }],
    ["hello", null],
  ])("%j", (text, greeting) => expect(greetingIn(text)).toEqual(greeting));

  it.each([
    [
      "HTTP/1.1 200 OK\r\nServer: nginx/1.26.0 (Ubuntu)\r\n\r\n<TITLE>\n Caf&eacute; &amp; &#x41;</title>",
      { service: "http", product: "nginx", version: "1.26.0", title: "Caf&eacute; & A" },
    ],
    [
      "HTTP/1.0 401 No\r\nserver: Apache\r\n\r\n",
      { service: "http", product: "Apache httpd", version: null, title: null },
    ],
    ["HTTP/1.1 200 OK\r\n\r\n<p>Server: x</p>", { service: "http", product: null, version: null, title: null }],
    ["220 hello", null],
  ])("over HTTP: %j", (text, page) => expect(pageIn(text)).toEqual(page));
});

describe("nts collect --discover: the report", () => {
  it("has a line for this machine, one for each other, and an end", () => {
    const lines = reportOf({
      startedAt: new Date(0),
      blocks: ["10.0.0.0/24"],
      excluded: [],
      covered: ["10.0.0.0/24"],
      ports: [22, 23],
      found: [
        { ip: "10.0.0.1", mac: "00:16:3e:00:00:01", open: [], silent: [], isOwn: true },
        { ip: "10.0.0.2", mac: null, open: [22], silent: [23] },
      ],
      names: new Map([["10.0.0.2", "nas.lan"]]),
      answers: new Map([
        ["10.0.0.2 22", { service: "ssh", product: "OpenSSH", version: "9.6", title: null, certificate: null }],
      ]),
      announced: new Map(),
      bySnmp: new Map(),
      isTarget: () => true,
      ownName: "watcher",
    });
    expect(lines).toEqual([
      expect.objectContaining({ report: 1, tcp: "22-23" }),
      { host: { addresses: [{ ip: "10.0.0.1", mac: "00:16:3e:00:00:01" }], hostname: "watcher", is_collector: true } },
      {
        host: {
          addresses: [{ ip: "10.0.0.2" }],
          hostname: "nas.lan",
          ports: [{ port: 22, protocol: "tcp", service: "ssh", product: "OpenSSH", version: "9.6", answered: true }],
          silent: "23",
        },
      },
      { end: { covered: ["10.0.0.0/24"], excluded: [] } },
    ]);
  });
});
