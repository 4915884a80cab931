import { describe, expect, it } from "@jest/globals";
import { nextMacAddress } from "./mac-address.rules.js";

const SET = "AA:BB:CC:DD:EE:FF";
const OTHER = "AA:BB:CC:DD:EE:00";

describe("mac-address: immutable once set", () => {
  it("can be set when there was none", () => {
    expect(nextMacAddress(null, SET)).toBe(SET);
  });

  it("rejects another value once it is set", () => {
    expect(() => nextMacAddress(SET, OTHER)).toThrow(expect.objectContaining({ code: "mac_address_immutable" }));
  });

  it("accepts its present value", () => {
    expect(nextMacAddress(SET, SET)).toBe(SET);
  });

  it.each([null, undefined])("is unchanged when %s is sent", (sent) => {
    expect(nextMacAddress(SET, sent)).toBe(SET);
    expect(nextMacAddress(null, sent)).toBeNull();
  });
});
