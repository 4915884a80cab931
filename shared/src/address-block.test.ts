import { describe, expect, it } from "@jest/globals";
import { addressBlockOf, normalBlock } from "./address-block.js";

describe("the block of an address", () => {
  it("is the address itself for IPv4", () => {
    expect(addressBlockOf("192.0.2.1")).toBe("192.0.2.1");
  });

  it.each([
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::9", "2001:db8:1:2::/64"],
    ["2001:0DB8::1", "2001:db8:0:0::/64"],
    ["2001:db8::ffff:1.2.3.4", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
  ])("of %s is %s", (address, block) => {
    expect(addressBlockOf(address)).toBe(block);
  });
});

describe("a block of addresses", () => {
  it("has one canonical form, whichever way it is written", () => {
    expect(
      [
        "203.0.113.7",
        "10.0.0.0/8",
        "2001:DB8:0::/32",
        "2001:db8::1",
        "::ffff:10.0.0.0/104",
        "::ffff:a00:1",
        "::/0",
      ].map(normalBlock),
    ).toEqual([
      ...["203.0.113.7/32", "10.0.0.0/8", "2001:db8::/32", "2001:db8::1/128", "10.0.0.0/8", "10.0.0.1/32", "::/0"],
    ]);
  });

  it("is IPv6 if only its last 32 bits are written like IPv4", () => {
    expect(["::10.0.0.0/104", "::10.0.0.1", "0:0:0:0:0:0:10.0.0.1"].map(normalBlock)).toEqual([
      ...["::a00:0/104", "::a00:1/128", "::a00:1/128"],
    ]);
  });

  it("rejects host bits, and IPv4-mapped blocks larger than all of IPv4", () => {
    expect(["10.0.0.1/8", "2001:db8::1/32", "::ffff:0.0.0.0/90"].map(normalBlock)).toEqual([null, null, null]);
  });
});
