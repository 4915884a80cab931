import { describe, expect, it } from "@jest/globals";
import { limitsOf } from "./key-limits.js";

const from = (allowed_ips: string[]) => limitsOf({ allowed_ips, per_minute: null }, false).mayComeFrom;

describe("the allowed addresses of a key", () => {
  it("are those within its blocks, of both families, and no others", () => {
    const may = from(["10.1.0.0/16", "203.0.113.7/32", "2001:db8::/32"]);
    for (const address of ["10.1.0.0", "10.1.255.255", "203.0.113.7", "2001:db8::1", "2001:db8:ffff::"])
      expect([address, may(address)]).toEqual([address, true]);
    for (const address of ["10.0.255.255", "10.2.0.0", "203.0.113.8", "2001:db9::", "::1", ""])
      expect([address, may(address)]).toEqual([address, false]);
  });

  it("are all of one family for a block of length zero, and none of the other", () => {
    expect([from(["0.0.0.0/0"])("192.0.2.1"), from(["0.0.0.0/0"])("2001:db8::1")]).toEqual([true, false]);
    expect([from(["::/0"])("2001:db8::1"), from(["::/0"])("192.0.2.1")]).toEqual([true, false]);
  });

  it("are all when none are specified", () => {
    expect(limitsOf(undefined, false).mayComeFrom("192.0.2.1")).toBe(true);
    expect(limitsOf({ allowed_ips: [], per_minute: 5 }, false)).toMatchObject({ perMinute: 5 });
  });
});
