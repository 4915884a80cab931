import { describe, expect, it } from "@jest/globals";
import { nextMacAddress } from "./mac-address.rules.js";

const SET = "AA:BB:CC:DD:EE:FF";
const OTHER = "AA:BB:CC:DD:EE:00";

describe("mac-address: immutable once set", () => {
  it("is set once when it was not", () => {
    expect(nextMacAddress(null, SET)).toBe(SET);
  });

  it("refuses another value once it is set", () => {
    expect(() => nextMacAddress(SET, OTHER)).toThrow(expect.objectContaining({ code: "mac_address_immutable" }));
  });

  it("accepts the value that it has", () => {
    expect(nextMacAddress(SET, SET)).toBe(SET);
  });

  it.each([null, undefined])("keeps what is when %s is sent", (sent) => {
    expect(nextMacAddress(SET, sent)).toBe(SET);
    expect(nextMacAddress(null, sent)).toBeNull();
  });
});
