import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { AppError } from "@nts/shared/errors";
import fc from "fast-check";
import { hostWith } from "../packed-hosts.rules.js";
import { readScan } from "./nmap.js";
import type { Scan } from "../scan.rules.js";

const fileOf = (name: string): Buffer =>
  readFileSync(new URL(`../../../../../test/scans/${name}.xml`, import.meta.url));
const OFFICE = fileOf("office");

const scanOf = (inside: string, root = 'scanner="nmap" version="7.93"'): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nmaprun>\n<nmaprun ${root}>\n${inside}\n</nmaprun>`;

function* inPieces(bytes: Uint8Array, cuts: readonly number[] = []): Generator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

/** With hosts that can be compared. */
function read(document: string | Uint8Array, cuts?: readonly number[]): Scan {
  const scan = readScan(inPieces(Buffer.from(document), cuts));
  return { ...scan, hosts: scan.hosts.map((host) => hostWith(host, {})) };
}

/** Place and reason of the rejection; null when the document is accepted. */
function refusalOf(document: string | Uint8Array): string | null {
  try {
    read(document);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "validation_failed") throw error;
    const [fault] = error.params["errors"] as { path: string; message: string }[];
    return `${fault?.path ?? ""}: ${fault?.message ?? ""}`;
  }
}

const skippedIn = ({ skipped }: Scan): string[] =>
  skipped.listed.map(({ line, what, reason }) => `${line} ${what}: ${reason}`);

describe("a file", () => {
  it("is read block by block, so that each is let go when it has been read", () => {
    let taken = 0;
    function* blocks(): Generator<Uint8Array> {
      for (const text of ['<nmaprun scanner="nmap">', `<host></port>${" ".repeat(30)}`, "</nmaprun>"]) {
        taken++;
        yield Buffer.from(text);
      }
    }
    expect(() => readScan(blocks())).toThrow(AppError);
    expect(taken).toBe(2);
  });
});

describe("the nmap scan of an office", () => {
  it("is read with all that an import needs", () => {
    const { info, brokeOff, hosts } = read(OFFICE);
    expect(info).toEqual({
      scanner: "nmap",
      version: "7.93",
      args: "nmap -sS -sU -sV -v -oX office.xml 192.168.10.0/24",
      started_at: "2026-02-16T09:30:00.000Z",
    });
    expect(brokeOff).toBeNull();
    expect(hosts.map(({ addresses }) => addresses.map(({ ip }) => ip))).toEqual([
      ["192.168.10.1"],
      ["192.168.10.20"],
      ["192.168.10.21"],
      ["192.168.10.30", "fd00:10::30"],
    ]);
    const router = hosts[0]!;
    expect(router).toMatchObject({ line: 21, hostname: "router.office.example", vendor: "Routerboard.com" });
    expect(router.addresses).toEqual([{ ip: "192.168.10.1", mac: "48:8F:5A:00:00:01", vendor: "Routerboard.com" }]);
    expect(router.ports[0]).toEqual({
      line: 31,
      ip: "192.168.10.1",
      protocol: "Tcp",
      number: 22,
      service: {
        name: "ssh",
        product: "MikroTik RouterOS sshd",
        version: null,
        cpe: [],
        isWrapped: false,
        isProbed: true,
      },
    });
    expect(hosts[1]!.ports.find(({ number }) => number === 443)?.service?.isWrapped).toBe(true);
  });

  it("reports line and reason of all that is left out", () => {
    expect(skippedIn(read(OFFICE))).toEqual([
      "18 host 192.168.10.2: it is not up",
      "26 host name gw.office.example: only the first name of a host is imported",
      "28 1994 ports of 192.168.10.1: they are filtered",
      "34 port 67/udp of 192.168.10.1: it is open|filtered",
      "35 port 8291/tcp of 192.168.10.1: it is closed",
      "55 port 2905/sctp of 192.168.10.20: only TCP and UDP ports are supported",
      "81 address 00:11:22:33:44:55:66:77: an address of the type eui64 means nothing here",
      "80 host 00:11:22:33:44:55:66:77: it has no IP address",
      "31 further information of services: nothing is made of them (2 in the file)",
      "31 operating systems by services: nothing is made of them (1 in the file)",
      "58 routes to hosts: nothing is made of them (1 in the file)",
    ]);
  });
});

describe("the nmap scan of an office, in pieces,", () => {
  it("is the same however its bytes are split", () => {
    const whole = JSON.stringify(read(OFFICE));
    const cuts = fc.array(fc.nat(OFFICE.length), { maxLength: 50 });
    fc.assert(
      fc.property(cuts, (at) => {
        expect(JSON.stringify(read(OFFICE, at))).toBe(whole);
      }),
      { numRuns: 30 },
    );
  });

  it("yields the complete hosts when it is truncated anywhere, and reports where", () => {
    const whole = read(OFFICE);
    const hostEnds = [...OFFICE.toString().matchAll(/<\/host>/g)].map(({ index }) => index + "</host>".length);
    const isUp = [false, true, true, true, true, false];
    const root = OFFICE.indexOf(">", OFFICE.indexOf("<nmaprun")) + 1;
    for (let length = 0; length < OFFICE.length - "</nmaprun>\n".length; length += 7) {
      const cut = OFFICE.subarray(0, length);
      if (length < root) {
        expect([length, refusalOf(cut)]).toEqual([length, expect.stringMatching(/^line \d+, column \d+: /)]);
        continue;
      }
      const { hosts, brokeOff } = read(cut);
      const complete = hostEnds.filter((end) => end <= length);
      expect(hosts).toEqual(whole.hosts.slice(0, complete.filter((_end, index) => isUp[index]).length));
      const lines = cut.toString().split("\n");
      expect(brokeOff).toEqual({
        line: lines.length,
        column: lines.at(-1)!.length + 1,
        reason: expect.stringMatching(/^the file ends inside <\w+>$/) as never,
      });
    }
  });
});

describe("other scans", () => {
  it.each([
    ["ping", [["127.0.0.1"], ["127.0.0.2"]], []],
    ["version", [["127.0.0.1"], ["127.0.0.2"]], ["2222 OpenSSH", "8081 nginx", "6379 Redis key-value store"]],
    ["ipv6", [["::1"]], ["8081 nginx"]],
    ["udp", [["127.0.0.1"]], []],
    ["masscan", [["10.9.0.5"], ["10.9.0.6"], ["10.9.0.5"]], ["443 null", "22 null", "22 null"]],
  ])("%s, as written by its program", (name, addresses, ports) => {
    const { hosts, brokeOff } = read(fileOf(name));
    expect(brokeOff).toBeNull();
    expect(hosts.map((host) => host.addresses.map(({ ip }) => ip))).toEqual(addresses);
    const seen = hosts.flatMap((host) => host.ports);
    expect(seen.map(({ number, service }) => `${number} ${service?.product ?? "null"}`)).toEqual(ports);
  });

  it("that were appended to one file are one, with the lines of the file", () => {
    const hostOf = (ip: string): string => `<host><address addr="${ip}" addrtype="ipv4"/><status state="up"/></host>`;
    const file = `${scanOf(hostOf("10.0.0.1"))}\n\n${scanOf(hostOf("10.0.1.1"))}\n${scanOf('<host><address addr="x"/></host>')}`;
    const scan = read(file);
    expect(scan.hosts.map(({ line, addresses }) => [line, addresses[0]?.ip])).toEqual([
      [4, "10.0.0.1"],
      [10, "10.0.1.1"],
    ]);
    expect(skippedIn(scan)).toEqual(["15 address x: it is not an IP address", "15 host x: it has no IP address"]);
    expect(
      read(
        file,
        [...file].map((_, at) => at),
      ).hosts,
    ).toEqual(scan.hosts);
  });

  it("are one without declarations, and with what people's shells wrote in between, which is listed", () => {
    const hostOf = (ip: string): string => `<host><address addr="${ip}" addrtype="ipv4"/><status state="up"/></host>`;
    const scanOf = (ip: string): string => `<nmaprun scanner="nmap">${hostOf(ip)}</nmaprun>`;
    const file = `${scanOf("10.0.0.1")}\n<!-- done -->\n${scanOf("10.0.1.1")}\nNmap done\n`;
    for (const cuts of [undefined, [...file].map((_, at) => at)]) {
      const scan = read(file, cuts);
      expect(scan.hosts.map(({ line, addresses }) => [line, addresses[0]?.ip])).toEqual([
        [1, "10.0.0.1"],
        [3, "10.0.1.1"],
      ]);
      expect(skippedIn(scan)).toEqual(["4 text after a scan: it belongs to no scan"]);
    }
  });

  it("make no hosts of the edges of their blocks, unless something is there, nor of broadcast addresses", () => {
    const hostOf = (ip: string, more = ""): string =>
      `<host><status state="up"/><address addr="${ip}" addrtype="ipv4"/>${more}</host>`;
    const port = '<ports><port protocol="tcp" portid="22"><state state="open"/></port></ports>';
    const hosts = [
      hostOf("10.0.0.0"),
      hostOf("10.0.0.255"),
      hostOf("10.0.0.7", '<smurf responses="3"/>'),
      hostOf("10.1.0.0", port),
      hostOf("10.2.0.255"),
    ];
    const scan = read(scanOf(hosts.join("\n"), 'args="nmap 10.0.0.0/24 10.1.0.* 10.2.0.0/16"'));
    expect(scan.hosts.map(({ addresses }) => addresses[0]?.ip)).toEqual(["10.1.0.0", "10.2.0.255"]);
    expect(skippedIn(scan)).toEqual(
      [4, 5, 6].map(
        (line, at) =>
          `${line} host ${["10.0.0.0", "10.0.0.255", "10.0.0.7"][at]}: it is a network or broadcast address`,
      ),
    );
  });

  it("that found nothing say so", () => {
    const stats = '<runstats><finished exit="success"/><hosts up="0" down="4" total="4"/></runstats>';
    expect(skippedIn(read(scanOf(stats)))).toEqual(["4 the scan: it found 0 of 4 hosts up"]);
  });

  it("list what they say of machines and has no place, once per kind", () => {
    const service = 'name="ssh" product="OpenSSH" extrainfo="protocol 2.0" ostype="Linux" devicetype="router"';
    const port = `<port protocol="tcp" portid="22"><state state="open"/><service ${service}/></port>`;
    const os = '<os><osmatch name="Linux 5" accuracy="98"/><osmatch name="Linux 4" accuracy="97"/></os>';
    const about = '<uptime seconds="9"/><distance value="1"/><trace><hop ttl="1"/></trace><times srtt="1"/>';
    const hosts = [1, 2].map(
      (n) => `<host><address addr="10.0.0.${n}" addrtype="ipv4"/><ports>${port}</ports>${os}${about}</host>`,
    );
    const reason = "nothing is made of them (2 in the file)";
    expect(skippedIn(read(scanOf(hosts.join("\n"))))).toEqual([
      `4 further information of services: ${reason}`,
      `4 kinds of device by services: ${reason}`,
      `4 operating systems by services: ${reason}`,
      `4 further matches of operating systems: ${reason}`,
      `4 uptimes of hosts: ${reason}`,
      `4 distances of hosts: ${reason}`,
      `4 routes to hosts: ${reason}`,
    ]);
  });

  it("list what is cut from what they say of services and systems", () => {
    const cpe = Array.from({ length: 6 }, (_, n) => `<cpe>cpe:/a:x:y:${n}</cpe>`).join("");
    const service = `<service name="rpcbind" product="${"x".repeat(101)}" version="2-4" rpcnum="100000" lowver="2" highver="4">${cpe}</service>`;
    const port = `<port protocol="tcp" portid="111"><state state="open"/>${service}</port>`;
    const classes = '<osclass type="router" osgen="5"/><osclass type="switch" osgen="4"/>';
    const os = `<os><osmatch name="Linux 5" accuracy="98">${classes}</osmatch></os>`;
    const scan = read(scanOf(`<host><address addr="10.0.0.1" addrtype="ipv4"/><ports>${port}</ports>${os}</host>`));
    expect(scan.hosts[0]?.ports[0]?.service?.cpe).toHaveLength(5);
    expect(skippedIn(scan)).toEqual(
      [
        "numbers of RPC programs",
        "ranges of versions of RPC programs",
        "ends of long names and versions of services",
        "further CPE names of services",
        "further classes of operating systems",
      ].map((what) => `4 ${what}: nothing is made of them (1 in the file)`),
    );
  });

  it("that failed are incomplete, with the reason", () => {
    const failed = '<runstats><finished time="1" exit="error" errormsg="network down"/></runstats>';
    expect(read(scanOf(failed)).brokeOff).toEqual({
      line: 4,
      column: 1,
      reason: "the scanner failed: network down",
    });
  });

  it.each([
    ["no document type", '<nmaprun scanner="nmap"></nmaprun>'],
    ["a document type elsewhere", '<!DOCTYPE nmaprun SYSTEM "https://svn.nmap.org/nmap/docs/nmap.dtd"><nmaprun/>'],
    ["the five entities and references", scanOf("", 'args="&lt;&gt;&amp;&quot;&apos;&#45;&#x2d;"')],
    ["a byte order mark", `\ufeff${scanOf("")}`],
    ["ASCII", scanOf("").replace("UTF-8", "us-ascii")],
  ])("with %s are accepted", (_what, document) => {
    expect(refusalOf(document)).toBeNull();
  });
});

describe("a file that is not a scan is rejected with line and column", () => {
  const bomb = `<!ENTITY a "${"x".repeat(100)}">${"bcdefgh".replaceAll(/./g, (name, at: number) => `<!ENTITY ${name} "${`&${"abcdefg"[at]};`.repeat(100)}">`)}`;
  it.each([
    ["nothing", "", "line 1, column 1: document must contain a root element"],
    ["a text", "Nmap scan report", "line 1, column 17: text data outside of root node"],
    ["JSON", '{"a": 1}', "line 1, column 9: text data outside of root node"],
    [
      "another document",
      "<?xml version='1.0'?>\n<scan><body/></scan>",
      "line 2, column 7: must be a <nmaprun> element, as nmap -oX writes it; of other programs, export the machines as CSV",
    ],
    [
      "a web page",
      "<?xml version='1.0'?>\n<html><body/></html>",
      "line 2, column 7: is a web page: save its table as CSV, or import the XML of nmap -oX that it was made from",
    ],
    [
      "a report of Nessus",
      "<NessusClientData_v2><Report/></NessusClientData_v2>",
      expect.stringMatching(/is a report of Nessus.*nmap -oX$/),
    ],
    ["a mismatched end tag", scanOf("<host></nmaprun>"), "line 4, column 17: unexpected close tag"],
    [
      "a fault in the second of two documents",
      `${scanOf("")}\n${scanOf("<host></nmaprun>")}`,
      "line 9, column 17: unexpected close tag",
    ],
    ["an attribute without quotes", scanOf("<host a=b/>"), "line 4, column 10: unquoted attribute value"],
    ["a duplicate attribute", scanOf('<host a="" a=""/>'), expect.stringMatching(/^line 4, .*duplicate attribute: a$/)],
    ["an undeclared entity", scanOf('<host a="&x;"/>'), "line 4, column 13: undefined entity"],
    ["an internal entity", scanOf('<host a="&toString;"/>'), "line 4, column 20: undefined entity"],
    [
      "an entity bomb",
      `<!DOCTYPE nmaprun [${bomb}]><nmaprun args="&h;"/>`,
      expect.stringMatching(/^line 1, .*must not declare anything in its document type$/),
    ],
    [
      "an external entity",
      '<!DOCTYPE nmaprun [<!ENTITY x SYSTEM "file:///etc/passwd">]><nmaprun args="&x;"/>',
      expect.stringMatching(/must not declare/),
    ],
    [
      "an empty document type",
      "<!DOCTYPE nmaprun []><nmaprun/>",
      "line 1, column 22: must not declare anything in its document type",
    ],
    ["deep nesting", scanOf("<a>".repeat(32)), "line 4, column 97: must not be nested deeper than 32 levels"],
    [
      "a very long attribute",
      scanOf(`<script output="${"x".repeat(1_048_577)}"/>`),
      expect.stringMatching(/the attribute output is too long$/),
    ],
    [
      "bytes that are not UTF-8",
      Buffer.from(scanOf('<host a="\xe4"/>'), "latin1"),
      "line 1, column 1: must be in UTF-8 from here on",
    ],
    ["UTF-16", Buffer.from(`\ufeff${scanOf("")}`, "utf16le"), "line 1, column 1: must be in UTF-8 from here on"],
    [
      "a character that XML does not allow",
      scanOf('<host a="&#0;"/>'),
      "line 4, column 14: malformed character entity",
    ],
  ])("%s", (_what, document, refusal) => {
    expect(refusalOf(document as string)).toEqual(refusal);
  });
});

describe("unusable parts of a scan are left out with a reason", () => {
  const host = (inside: string): string => scanOf(`<host><address addr="10.0.0.1" addrtype="ipv4"/>${inside}</host>`);
  const port = (attributes: string, state = '<state state="open"/>'): string =>
    host(`<ports><port ${attributes}>${state}</port></ports>`);
  it.each([
    [
      "an invalid address",
      host('<address addr="10.0.0.300" addrtype="ipv4"/>'),
      "address 10.0.0.300: it is not an IP address",
    ],
    ["an invalid MAC address", host('<address addr="xx" addrtype="mac"/>'), "address xx: it is not a MAC address"],
    [
      "the null MAC address",
      host('<address addr="00:00:00:00:00:00" addrtype="mac"/>'),
      "address 00:00:00:00:00:00: it is not the MAC address of one network card",
    ],
    [
      "a multicast MAC address",
      host('<address addr="01:00:5E:00:00:01" addrtype="mac"/>'),
      "address 01:00:5E:00:00:01: it is not the MAC address of one network card",
    ],
    [
      "a second MAC address",
      host('<address addr="02:00:00:00:00:01" addrtype="mac"/><address addr="02:00:00:00:00:02" addrtype="mac"/>'),
      "address 02:00:00:00:00:02: the host has another MAC address already",
    ],
    [
      "an empty host name",
      host('<hostnames><hostname name=" "/></hostnames>'),
      "host name: it is not a text of 1 to 253 characters",
    ],
    ["a port without a number", port('protocol="tcp"'), "port /tcp of 10.0.0.1: its number is not from 1 to 65535"],
    ["port 0", port('protocol="tcp" portid="0"'), "port 0/tcp of 10.0.0.1: its number is not from 1 to 65535"],
    [
      "a port above 65535",
      port('protocol="udp" portid="65536"'),
      "port 65536/udp of 10.0.0.1: its number is not from 1 to 65535",
    ],
    [
      "a port named like an object member",
      port('protocol="constructor" portid="1"'),
      "port 1/constructo of 10.0.0.1: only TCP and UDP ports are supported",
    ],
    ["a port without a state", port('protocol="tcp" portid="1"', ""), "port 1/tcp of 10.0.0.1: its state is missing"],
  ])("%s", (_what, document, sentence) => {
    expect(skippedIn(read(document))).toEqual([`4 ${sentence}`]);
  });

  it("are all counted, and the first 10,000 of them listed", () => {
    const down = '<host><status state="down"/><address addr="10.0.0.1" addrtype="ipv4"/></host>\n';
    const { skipped } = read(scanOf(down.repeat(12_000)));
    expect([skipped.listed.length, skipped.count()]).toEqual([10_000, 12_000]);
  });

  it("have the zone removed from link-local addresses, and addresses in canonical form", () => {
    const addresses =
      '<address addr="FE80::0001%eth0" addrtype="ipv6"/><address addr="::ffff:10.0.0.1" addrtype="ipv6"/>';
    const { hosts } = read(host(addresses));
    expect(hosts[0]!.addresses.map(({ ip }) => ip)).toEqual(["10.0.0.1", "fe80::1"]);
  });
});
