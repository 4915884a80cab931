import { describe, expect, it } from "@jest/globals";
import { parseAddress } from "../../values/addresses.js";
import { isWithin } from "../coverage.rules.js";
import { targetsIn } from "./nmap-targets.js";

/** Which of these addresses a scan of the targets covers. */
function covered(targets: string, ips: readonly string[]): string[] {
  const ranges = targetsIn(`nmap -sS -oX out.xml ${targets}`)?.ranges ?? [];
  return ips.filter((ip) => isWithin(ranges, parseAddress(ip).key));
}

function count(targets: string): number {
  return Number(targetsIn(`nmap -sS ${targets}`)?.count ?? -1n);
}

describe("the targets of a scan", () => {
  it("are every combination of the octets' ranges, and nothing else", () => {
    const inside = ["10.0.0.1", "10.0.0.20", "10.0.3.1", "10.0.3.20"];
    const outside = ["10.0.0.0", "10.0.0.21", "10.0.3.0", "10.0.3.21", "10.0.4.1", "10.1.0.1"];
    expect(covered("10.0.0-3.1-20", [...inside, ...outside])).toEqual(inside);
    expect(count("10.0.0-3.1-20")).toBe(80);
  });

  it.each([
    ["10.0.0.1,5-7", 4],
    ["10.0.0.*", 256],
    ["10.0.0.-", 256],
    ["10.0.0.250-", 6],
    ["10.0.0.-9", 10],
    ["10.0.0-1.*", 512],
    ["10.0.0.5", 1],
  ])("in the form %s are %i addresses", (targets, amount) => {
    expect(count(targets)).toBe(amount);
  });

  it("in a block that ends inside an octet end with the block", () => {
    const ips = ["10.0.0.0", "10.0.0.127", "10.0.0.128", "10.0.0.255"];
    expect(covered("10.0.0.0/25", ips)).toEqual(ips.slice(0, 2));
    expect(covered("10.0.0.200/25", ips)).toEqual(ips.slice(2));
    expect(count("10.0.0.200/25")).toBe(128);
  });

  it("count once when they are named twice", () => {
    expect(count("10.0.0.0/25 10.0.0.64/26 10.0.0.1")).toBe(128);
  });

  it("do not include excluded ones", () => {
    const ips = ["10.0.0.1", "10.0.0.9", "10.0.0.10", "10.0.0.16", "10.0.0.31", "10.0.0.32"];
    expect(covered("10.0.0.0/24 --exclude 10.0.0.9,10.0.0.16/28", ips)).toEqual(["10.0.0.1", "10.0.0.10", "10.0.0.32"]);
    expect(count("10.0.0.0/24 --exclude=10.0.0.9,10.0.0.16/28")).toBe(239);
    expect(count("--exclude 10.0.0.0/8 10.0.0.0/24")).toBe(0);
  });

  it("may be IPv6, apart from those of IPv4", () => {
    const ips = ["fd00::", "fd00::ff", "fd00::100", "0.0.0.1"];
    expect(covered("-6 fd00::/120", ips)).toEqual(ips.slice(0, 2));
    expect(count("-6 fd00::1")).toBe(1);
    expect(covered("0.0.0.0/0", ["0.0.0.1", "::1", "fd00::"])).toEqual(["0.0.0.1"]);
  });
});

describe("unknown targets of a scan", () => {
  it("are the result of host names, and option values are not targets", () => {
    expect(count("router.example.com")).toBe(0);
    expect(count("example.com/24")).toBe(0);
    expect(count("-S 10.0.0.9 -D 10.0.0.8,ME 10.0.0.1")).toBe(1);
  });

  it.each([
    "10.0.0.256",
    "10.0.0.9-1",
    "10.0.0",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/x",
    "10.0.0-1.0/24",
    "fe80::1%eth0",
    "10.0.0.,5",
  ])("are the result of %s, which is not an address", (targets) => {
    expect(count(targets)).toBe(0);
  });

  it("are the result of a word with too many ranges", () => {
    expect(count("10.*.*.1,3,5,7,9")).toBe(0);
  });

  it.each([
    "10.0.0.0/24 --exclude router.example.com",
    "10.0.0.0/24 --excludefile some.txt",
    "10.0.0.0/24 -iL more.txt",
    "-iR 100",
    "-sL 10.0.0.0/24",
    "--resume scan.log",
    '10.0.0.0/24 --script-args "a b"',
    `10.0.0.0/24 ${"x".repeat(20_000)}`,
  ])("are the result of %s", (targets) => {
    expect(targetsIn(`nmap ${targets}`)).toBeNull();
  });
});
