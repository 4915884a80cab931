import { describe, expect, it } from "@jest/globals";
import { parseAddress } from "../../values/addresses.js";
import { isWithin, reportsOn } from "../coverage.rules.js";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { report } from "./report.js";

const FILE = corpusFile("report", "home");
const scan = () => read(report, FILE);

describe("reports of what a collector has found", () => {
  it("become hosts and services, and what is left out has a line and a reason", () => {
    expect(importedFrom([[FILE]])).toEqual([
      "watcher [10.77.0.1 00:16:3E:00:00:01]: ",
      "Attic [10.77.0.10 00:11:32:12:34:56]: OpenSSH: 22/Tcp@10.77.0.10 · nginx: 443/Tcp@10.77.0.10",
      "10.77.0.11 [10.77.0.11]: HTTP: 80/Tcp@10.77.0.11 · mDNS: 5353/Udp@10.77.0.11",
    ]);
    expect(skippedIn(report, FILE)).toEqual([
      "4 port 70000/tcp of host 10.77.0.11: its number is not from 1 to 65535",
      "5 address 127.0.0.1: it is not the address of a machine",
      "5 host: it has no usable IP address",
      "6 line 6: it is neither a host, nor a file, nor the end of the report",
    ]);
  });

  it("say what machines, ports and certificates are", () => {
    expect(scan().hosts[1]).toMatchObject({
      name: "Attic",
      hostname: "nas.lan",
      says: { vendor: "Synology", model: "DS920+", serial: null },
      ports: [
        { number: 22, service: { product: "OpenSSH", version: "9.6p1", isProbed: true } },
        {
          number: 443,
          service: { product: "nginx", isWrapped: true },
          says: {
            title: "Sign in",
            certificate: { subject: "nas.lan", not_after: "2027-01-01T00:00:00.000Z", sha256: null },
          },
        },
      ],
    });
  });

  it("cover the addresses at which every machine would have answered, and the ports that did", () => {
    const { coverage, hosts } = scan();
    const covers = (ip: string): boolean => isWithin(coverage?.addresses ?? [], parseAddress(ip).key);
    expect(["10.77.0.99", "10.77.0.66", "10.78.0.1"].map(covers)).toEqual([true, false, false]);
    expect([...(coverage?.mentioned ?? [])]).toEqual(["10.77.0.1", "10.77.0.10", "10.77.0.11"]);
    const [covered] = hosts[1]?.covered ?? [];
    expect([80, 8000, 8001].map((port) => covered !== undefined && reportsOn(covered, port))).toEqual([
      true,
      false,
      false,
    ]);
    expect(hosts[0]?.covered).toEqual([]);
  });

  it("that end early cover nothing, and say so", () => {
    const text = Buffer.from(FILE).toString();
    const half = text.slice(0, text.lastIndexOf('{"end"'));
    expect(read(report, half).coverage?.addresses).toEqual([]);
    expect(skippedIn(report, half)).toContain(
      "1 the end of the report: it is missing, so that nothing of it counts as not found",
    );
  });

  it("that were appended to each other cover what each of them does", () => {
    const both = corpusFile("report", "two-reports");
    expect(read(report, both).coverage?.reported.addresses).toEqual(["192.168.1.0/24", "192.168.2.0/24"]);
    expect(skippedIn(report, both)).toEqual([]);
  });

  describe("with files inside", () => {
    const sockets = "# ss -H -tulnp\nudp UNCONN 0 0 0.0.0.0:53 0.0.0.0:*\ntcp LISTEN 0 9 0.0.0.0:22 0.0.0.0:*\n";
    const line = (value: object): string => `${JSON.stringify(value)}\n`;
    const own = { addresses: [{ ip: "10.77.0.1", mac: "00:16:3e:00:00:01" }], hostname: "watcher", is_collector: true };
    const partsOf = (format: string, text: string, count: number) =>
      Array.from({ length: count }, (_, n) => {
        const size = Math.ceil(text.length / count);
        return line({
          file: { format, name: "f", part: n + 1, of: count, text: text.slice(n * size, (n + 1) * size) },
        });
      });
    const reportWith = (...lines: string[]): string =>
      [line({ report: 1, program: "nts" }), ...lines, line({ end: { covered: [] } })].join("");

    it("have what its machine has, also if the file is cut into parts", () => {
      const file = reportWith(line({ host: own }), ...partsOf("ss", sockets, 3));
      expect(importedFrom([[file]])).toEqual([
        "watcher [10.77.0.1 00:16:3E:00:00:01]: DNS: 53/Udp@all · SSH: 22/Tcp@all",
      ]);
      const [, seen] = read(report, file).hosts;
      expect(seen?.covered?.map(({ protocol }) => protocol)).toEqual(["Udp", "Tcp"]);
    });

    it("leave out one of which a part is missing, which seems to say that the rest is gone", () => {
      const parts = partsOf("ss", sockets, 3);
      const without = (n: number) => reportWith(line({ host: own }), ...parts.filter((_, at) => at !== n));
      expect([0, 1, 2].map((n) => skippedIn(report, without(n)))).toEqual([
        ["3 file f: its part 1 is missing", "4 file f: its part 2 is missing"],
        ["4 file f: its part 2 is missing", "3 file f: only 1 of its 3 parts are here"],
        ["3 file f: only 2 of its 3 parts are here"],
      ]);
      expect([0, 1, 2].flatMap((n) => read(report, without(n)).hosts.flatMap(({ ports }) => ports))).toEqual([]);
    });

    it("read times in them by the clock of their machine, which may be wrong", () => {
      const looked = Date.parse("2026-11-30T10:00:00Z");
      const lease = (n: number, minutes: number): string =>
        `${looked / 1_000 + minutes * 60} 00:11:32:00:00:0${n} 10.77.0.2${n} host-${n} *\n`;
      const file = reportWith(...partsOf("dhcp-leases", lease(1, 30) + lease(2, -30), 1));
      const begun = file.replace('"report":1', `"report":1,"started_at":"${new Date(looked).toISOString()}"`);
      for (const hoursOff of [-1, 0, 1]) {
        const { hosts } = read(report, begun, { nowMs: looked + hoursOff * 3_600_000 });
        expect(hosts.map(({ hostname }) => hostname)).toEqual(["host-1"]);
      }
    });

    it.each([
      ["of an unknown format", partsOf("pcap", "x", 1), "files of the format pcap are not read from reports"],
      ["of reports", partsOf("report", "x", 1), "files of the format report are not read from reports"],
      ["that are damaged", partsOf("ss", "no socket", 1), "must be a socket as printed by"],
      ["about no machine", partsOf("ss", sockets, 1), "the report does not say which machine it is about"],
    ])("skip those %s with the reason", (_what, parts, reason) => {
      expect(skippedIn(report, reportWith(...parts)).join()).toContain(reason);
    });
  });

  it.each([
    ["of another version", '{"report":2}\n', "must be a report of version 1"],
    ["with broken lines", '{"report":1}\n{"host":', "must be an object of JSON on one line"],
    ["that do not begin", '{"host":{}}\n', "must be a report of version 1"],
  ])("%s are refused with the line", (_what, file, message) => {
    expect(refusalOf(report, file)).toContain(message);
  });
});
