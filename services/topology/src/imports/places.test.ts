import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { aSubnet } from "../kinds/testing/entities.js";
import { blockAround, parseBlock } from "../values/addresses.js";
import { createPlaces, hintsOf } from "./places.js";

const subnet = (id: string, cidr: string) => aSubnet({ id, cidr });

const anIp = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 127, 255), fc.nat(255)).map(([c, d]) => `10.0.${c}.${d}`),
  fc.constantFrom("fd00::1", "fd00:0:0:1::1", "fd00:0:0:8000::1", "fe80::1", "::1"),
);
const aBlock = fc.tuple(anIp, fc.nat(128)).map(([ip, bits]) => blockAround(ip, ip.includes(":") ? bits : bits % 33));

describe("the subnet of an address", () => {
  it("is the smallest that contains it, for any subnets", () => {
    fc.assert(
      fc.property(fc.array(aBlock, { maxLength: 20 }), anIp, (cidrs, ip) => {
        const subnets = cidrs.map((cidr, index) => subnet(String(index).padStart(2, "0"), cidr));
        const holding = subnets.filter(({ cidr }) => parseBlock(cidr, "").contains(ip));
        const bits = ({ cidr }: { cidr: string }): number => Number(cidr.split("/")[1]);
        const [best] = holding.sort((a, b) => bits(b) - bits(a) || (a.id < b.id ? -1 : 1));
        const place = createPlaces(subnets, []).of(ip);
        if (best === undefined) expect(place).toEqual({ id: null, cidr: blockAround(ip, ip.includes(":") ? 64 : 24) });
        else expect(place).toEqual({ id: best.id, cidr: best.cidr });
      }),
      { numRuns: 500 },
    );
  });

  it("is the smallest hint that contains it, when there is none", () => {
    const places = createPlaces([subnet("there", "10.0.1.0/24")], hintsOf(["10.0.0.0/8", "10.0.0.0/16", "fd00::/48"]));
    const found = ["10.0.1.1", "10.0.2.1", "10.1.0.1", "fd00::1", "192.168.1.7", "127.0.0.1", "::1"].map(places.of);
    expect(found.map(({ id, cidr }) => `${id ?? "new"} ${cidr}`)).toEqual([
      "there 10.0.1.0/24",
      "new 10.0.0.0/16",
      "new 10.0.0.0/8",
      "new fd00::/48",
      "new 192.168.1.0/24",
      "new 127.0.0.0/24",
      "new ::/64",
    ]);
  });

  it("is requested once, in the order of first use, and has its id when it has been created", () => {
    const places = createPlaces([subnet("there", "10.0.0.0/24")], []);
    for (const ip of ["192.168.1.1", "10.0.0.1", "192.168.1.2"]) places.of(ip);
    places.made("192.168.1.0/24", "made");
    expect(places.requested()).toEqual([
      { id: "made", cidr: "192.168.1.0/24" },
      { id: "there", cidr: "10.0.0.0/24" },
    ]);
    expect([places.cidrOf("made"), places.prefixOf("made"), places.prefixOf("unknown")]).toEqual([
      "192.168.1.0/24",
      24,
      -1,
    ]);
  });

  it("rejects hints with host bits", () => {
    expect(() => hintsOf(["10.0.0.0/8", "10.0.0.1/8"])).toThrow(
      expect.objectContaining({
        params: { errors: [{ path: "subnet_hint.1", message: expect.any(String) as never }] },
      }),
    );
  });
});
