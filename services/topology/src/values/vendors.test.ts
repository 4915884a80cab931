import { describe, expect, it } from "@jest/globals";
import { vendorOf } from "./vendors.js";

describe("a MAC address is assigned to", () => {
  it.each([
    ["00:00:00:00:00:01", "XEROX CORPORATION"],
    ["00:11:32:AA:BB:CC", "Synology Incorporated"],
    ["7C:2F:80:00:00:01", "Gigaset Communications GmbH"],
    ["00:1B:C5:00:00:01", "Converging Systems Inc."],
    ["00:1B:C5:00:50:01", null],
    ["00:55:DA:1A:00:01", "KoolPOS Inc."],
    ["FC:FF:AA:00:00:01", null],
    ["02:42:AC:11:00:02", null],
    ["DA:A1:19:00:00:01", null],
    ["01:00:5E:00:00:01", null],
    ["constructor", null],
  ])("%s: %s", (mac, vendor) => {
    expect(vendorOf(mac)).toBe(vendor);
  });
});
