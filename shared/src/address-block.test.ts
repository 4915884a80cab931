import { describe, expect, it } from "@jest/globals";
import { addressBlockOf } from "./address-block.js";

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
