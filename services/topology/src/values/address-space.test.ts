import { describe, expect, it } from "@jest/globals";
import type { ReservedRange } from "@nts/shared/contract";
import { isGivable, keyAt, numberOf, pastReserved, sizesOf, spaceOf, textAt } from "./address-space.js";
import { parseAddress } from "./addresses.js";

const MAPPED = 1n << 32n;
const aRange = (from: string, to: string): ReservedRange => ({ from, to, purpose: "" });
const numberAt = (text: string): bigint => numberOf(parseAddress(text).key);

describe("the assignable addresses of a subnet", () => {
  it("are IPv4 for a stored block of IPv4-mapped addresses", () => {
    const space = spaceOf({ cidr: "::ffff:c0a8:0/112", reserved: [] });
    expect(space).toEqual(spaceOf({ cidr: "192.168.0.0/16", reserved: [] }));
    expect(textAt(space, space.first)).toBe("192.168.0.1");
  });

  it("leave out the IPv4-mapped addresses of a larger block, which are no addresses of it", () => {
    const reserved = [aRange("::1", "::fffe:ffff:ffff"), aRange("::1:0:0:2", "::1:0:0:3")];
    const space = spaceOf({ cidr: "::/64", reserved });
    const texts = [space.first, numberAt("::1:0:0:1") + 1n].map((from) => textAt(space, pastReserved(space, from)));
    expect(texts).toEqual(["::1:0:0:0", "::1:0:0:4"]);
    expect([numberAt("::fffe:ffff:ffff") + 1n, numberAt("::1:0:0:0") - 1n].some((at) => isGivable(space, at))).toBe(
      false,
    );
    expect(sizesOf(space)).toEqual({ size: (1n << 64n) - 1n - MAPPED, reserved: (0xffffn << 32n) - 1n + 2n });
  });

  it("do not count IPv4-mapped ones as reserved by a range around them", () => {
    const space = spaceOf({ cidr: "::/64", reserved: [aRange("::fffe:ffff:ffff", "::1:0:0:0")] });
    expect(sizesOf(space).reserved).toBe(2n);
    expect(textAt(space, pastReserved(space, numberAt("::fffe:ffff:ffff")))).toBe("::1:0:0:1");
  });

  it("end before them if a block ends with them", () => {
    const space = spaceOf({ cidr: "::fffe:0:0/95", reserved: [] });
    expect(sizesOf(space)).toEqual({ size: MAPPED - 1n, reserved: 0n });
    expect(pastReserved(space, numberAt("::fffe:ffff:ffff") + 1n)).toBe(space.last + 1n);
    expect(keyAt(space, space.first)).toBe(parseAddress("::fffe:0:1").key);
  });
});
