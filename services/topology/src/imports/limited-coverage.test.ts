import { describe, expect, it } from "@jest/globals";
import { parseAddress } from "../values/addresses.js";
import { type Coverage, isWithin } from "./coverage.rules.js";
import { type CoverageLimit, limitedCoverage } from "./limited-coverage.js";
import { targetsOf } from "./readers/nmap-targets.js";

const claimed = (covered: readonly string[], excluded: readonly string[] = [], others = 3): Coverage => ({
  addresses: targetsOf(covered, excluded)?.ranges ?? [],
  absent: [{ ip: "10.0.0.9", mac: null }],
  mentioned: new Set(["10.0.0.7"]),
  others,
  reported: { addresses: covered, ports: ["22/tcp"] },
});

const reasons: string[] = [];
const skipped = { add: (_line: number, _what: string, reason: string) => reasons.push(reason) };
const limited = (coverage: Coverage, limit: CoverageLimit): Coverage => limitedCoverage(coverage, limit, skipped);
const covers = ({ addresses }: Coverage, ip: string): boolean => isWithin(addresses, parseAddress(ip).key);

describe("the coverage of a collector's report", () => {
  it("is what it claims inside the targets, without what they exclude", () => {
    const limit = { cidrs: ["10.0.0.0/24", "10.0.2.0/24"], exclude: ["10.0.0.66/32", "10.0.2.0/25", "fe80::/64"] };
    const coverage = limited(claimed(["0.0.0.0/1", "10.0.2.0/24", "2001:db8::/64"], ["10.0.0.1"]), limit);
    const inside = ["10.0.0.2", "10.0.0.65", "10.0.0.67", "10.0.2.128", "10.0.2.255"];
    const outside = ["10.0.0.1", "10.0.0.66", "10.0.1.5", "10.0.2.127", "10.0.3.0", "2001:db8::5"];
    expect([...inside, ...outside].filter((ip) => covers(coverage, ip))).toEqual(inside);
    expect(coverage).toMatchObject({ absent: [], mentioned: new Set(["10.0.0.7"]) });
    const excluded = limit.exclude.map((cidr) => `not ${cidr}`);
    expect(coverage.reported).toEqual({ addresses: [...limit.cidrs, ...excluded], ports: ["22/tcp"] });
  });

  it("is what it claims where the collector itself says where it is, up to the addresses of a job", () => {
    const anywhere = { cidrs: [], exclude: ["10.0.0.255/32", "10.0.0.0/32"] };
    const coverage = limited(claimed(["10.0.0.0/24"]), anywhere);
    expect(["10.0.0.0", "10.0.0.1", "10.0.0.254", "10.0.0.255"].map((ip) => covers(coverage, ip))).toEqual([
      ...[false, true, true, false],
    ]);
    expect(limited(claimed(["10.0.0.0/16"]), { cidrs: [], exclude: [] }).addresses).toHaveLength(1);
    expect(limited(claimed(["10.0.0.0/15"]), anywhere).addresses).toEqual([]);
    expect(limited(claimed(["2001:db8::/64"]), anywhere).addresses).toEqual([]);
  });

  it("is nothing before the final report, and where only the collector itself answered", () => {
    expect(limited(claimed(["10.0.0.0/24"]), "nothing")).toMatchObject({ addresses: [], reported: { addresses: [] } });
    expect(reasons).toEqual([]);
    expect(limited(claimed(["10.0.0.0/24"], [], 0), { cidrs: [], exclude: [] }).addresses).toEqual([]);
    expect(reasons).toEqual([expect.stringContaining("its link is at fault")]);
  });
});
