import { describe, expect, it } from "@jest/globals";
import type { SeenEnd } from "../connections.rules.js";
import { read } from "../testing/reading.js";
import { netstat } from "./netstat.js";
import { ss } from "./ss.js";

const LISTENING = `tcp LISTEN 0 511 0.0.0.0:443 0.0.0.0:* users:(("nginx",pid=11,fd=6),("nginx",pid=10,fd=6))
tcp LISTEN 0 511 127.0.0.1:9000 0.0.0.0:* users:(("php-fpm",pid=20,fd=6))
tcp LISTEN 0 100 0.0.0.0:8080 0.0.0.0:* users:(("java",pid=30,fd=6))
`;
const established = (local: string, peer: string, users = ""): string => `tcp ESTAB 0 0 ${local} ${peer} ${users}\n`;
const by = (name: string, pid: number): string => `users:(("${name}",pid=${pid},fd=3))`;

const endText = ({ isOwn, ip, port, process }: SeenEnd): string =>
  [isOwn ? "here" : (ip ?? ""), port?.number ?? "", process ?? ""].filter((part) => part !== "").join(" ");

/** Connections such as `here 443 nginx > 10.0.0.7 5432`, and how many are none. */
function connectionsOf(reader: typeof ss, file: string) {
  const { connections } = read(reader, file).hosts[0] ?? {};
  const list = (connections?.list ?? []).map(({ client, server }) => `${endText(client)} > ${endText(server)}`);
  const left = Object.fromEntries(Object.entries(connections?.notMade ?? {}).filter(([, count]) => count > 0));
  return { list, left, areAll: connections?.areAll ?? null };
}

describe("a connected socket", () => {
  it.each([
    [
      "of a process that listens, too",
      established("10.0.0.5:41000", "10.0.0.7:5432", by("nginx", 10)),
      "here 443 nginx > 10.0.0.7 5432",
    ],
    [
      "of another process of a program",
      established("10.0.0.5:41000", "10.0.0.7:5432", by("nginx", 99)),
      "here 443 nginx > 10.0.0.7 5432",
    ],
    [
      "of an interpreter that runs something else",
      established("10.0.0.5:41000", "10.0.0.7:5432", by("java", 99)),
      "here java > 10.0.0.7 5432",
    ],
    [
      "of a process whose port others do not reach",
      established("10.0.0.5:41000", "10.0.0.7:3306", by("php-fpm", 20)),
      "here php-fpm > 10.0.0.7 3306",
    ],
    ["of an unknown process", established("10.0.0.5:41000", "10.0.0.7:5432"), "here > 10.0.0.7 5432"],
    ["to a port of the machine", established("10.0.0.5:443", "10.0.0.9:51000", by("nginx", 11)), "10.0.0.9 > here 443"],
    ["to a port of the machine from one", established("10.0.0.5:8080", "10.0.0.9:700"), "10.0.0.9 > here 8080"],
    ["between low ports", established("10.0.0.5:800", "10.0.0.8:2049"), "here > 10.0.0.8 2049"],
    ["between high ports", established("10.0.0.5:41000", "10.0.0.8:50051"), "here > 10.0.0.8 50051"],
    ["of IPv4 in IPv6", established("[::ffff:10.0.0.5]:443", "[::ffff:10.0.0.9]:51000"), "10.0.0.9 > here 443"],
    ["of IPv6", established("[2001:db8::5]:41000", "[2001:db8::7]:5432"), "here > 2001:db8::7 5432"],
  ])("%s has a client and a server", (_what, line, expected) => {
    expect(connectionsOf(ss, LISTENING + line)).toEqual({ list: [expected], left: {}, areAll: false });
  });

  it("of the machine with itself is told by its client", () => {
    const both =
      established("10.0.0.5:41000", "10.0.0.5:8080", by("nginx", 10)) +
      established("10.0.0.5:8080", "10.0.0.5:41000", by("java", 30));
    expect(connectionsOf(ss, LISTENING + both).list).toEqual(["here 443 nginx > here 8080"]);
  });

  it.each([
    ["the loopback", established("127.0.0.1:41000", "127.0.0.1:9000"), "loopback"],
    ["a group", "udp ESTAB 0 0 10.0.0.5:41000 239.255.255.250:1900\n", "broadcast"],
    ["a link-local address", established("[fe80::1%eth0]:41000", "[fe80::2%eth0]:5432"), "unknown_host"],
    ["what looks like a server that does not listen", established("10.0.0.5:22", "10.0.0.9:51000"), "unclear"],
  ])("with %s is counted, and nothing is made of it", (_what, line, reason) => {
    expect(connectionsOf(ss, LISTENING + line)).toEqual({ list: [], left: { [reason]: 1 }, areAll: false });
  });

  it.each([
    [established("10.0.0.5:41000", "10.0.0.7:5432"), ["here > 10.0.0.7 5432"], {}],
    [established("10.0.0.5:5432", "10.0.0.7:41000"), ["10.0.0.7 > here 5432"], {}],
    [established("10.0.0.5:41000", "10.0.0.7:50051"), [], { unclear: 1 }],
    [established("10.0.0.5:800", "10.0.0.7:2049"), [], { unclear: 1 }],
  ])("in a list without what listens is told by the range of its ports: %s", (line, list, left) => {
    expect(connectionsOf(ss, line)).toEqual({ list, left, areAll: false });
  });

  it("is one with the others of its process and server", () => {
    const many = [41000, 41001, 41002].map((port) => established(`10.0.0.5:${port}`, "10.0.0.7:5432", by("nginx", 10)));
    expect(connectionsOf(ss, LISTENING + many.join("")).list).toHaveLength(1);
  });

  it("of at most 2,000 different ones becomes something, and the rest is counted", () => {
    const many = Array.from({ length: 2_003 }, (_, n) =>
      established("10.0.0.5:41000", `10.1.${n >> 8}.${n & 255}:5432`),
    );
    const { skipped, hosts } = read(ss, `# ss -H -tunap\n${LISTENING}${many.join("")}`);
    expect([hosts[0]?.connections?.list.length, hosts[0]?.connections?.areAll]).toEqual([2_000, false]);
    expect(skipped.listed.map(({ what }) => what)).toContain("3 connections");
  });

  it.each([
    ["# ss -H -tunap", true],
    ["# ss -H -tulnp", null],
    ["# ss -H -ltunap", true],
    ["# ss -H -tunapl", null],
    ["# ss -H -tunap dst 10.0.0.7", null],
  ])("is one of all only if the command in the first line says so: %s", (command, areAll) => {
    expect(connectionsOf(ss, `${command}\n${LISTENING}`).areAll).toBe(areAll);
  });

  it.each([
    ["Active Internet connections (servers and established)", true],
    ["Active Internet connections (only servers)", null],
  ])("is one of all only if netstat says so: %s", (heading, areAll) => {
    const file = `${heading}\ntcp 0 0 0.0.0.0:22 0.0.0.0:* LISTEN 7/sshd\n`;
    expect(connectionsOf(netstat, file).areAll).toBe(areAll);
  });

  it("of netstat has its process, by name or by number only", () => {
    const linux = `tcp 0 0 0.0.0.0:80 0.0.0.0:* LISTEN 911/nginx: master
tcp 0 0 10.0.0.5:41000 10.0.0.7:5432 ESTABLISHED 911/nginx: worker\n`;
    const windows = `  TCP    0.0.0.0:8080    0.0.0.0:0    LISTENING    40
  TCP    10.0.0.5:51000    10.0.0.7:1433    ESTABLISHED    40\n`;
    expect(connectionsOf(netstat, linux).list).toEqual(["here 80 nginx > 10.0.0.7 5432"]);
    expect(connectionsOf(netstat, windows).list).toEqual(["here 8080 > 10.0.0.7 1433"]);
  });
});
