import { describe, expect, it } from "@jest/globals";
import { marksOf } from "./marks.rules.js";

const UUID = "4c4c4544-0042-3510-8057-b7c04f4d3232";

describe("what tells a machine from others", () => {
  it.each([
    ["a serial number", { serial: "5BW7QN2" }, ["serial:5BW7QN2"]],
    [
      "a serial number as another source writes it",
      { serial: "VMware-56 4d a1 b2 c3 d4 e5 f6" },
      ["serial:VMWARE564DA1B2C3D4E5F6"],
    ],
    [
      "a DUID of a time and a card",
      { duid: "00:01:00:01:2C:5A:11:22:7c:2f:80:00:00:01" },
      ["duid:000100012c5a11227c2f80000001"],
    ],
    ["a DUID of a vendor", { duid: "00020000ab11a1b2c3d4e5f60718" }, ["duid:00020000ab11a1b2c3d4e5f60718"]],
    ["a DUID of a UUID", { duid: `0004${UUID.replaceAll("-", "")}` }, [`duid:0004${UUID.replaceAll("-", "")}`]],
    ["the id of an installation", { machine_id: UUID.toUpperCase() }, [`machine_id:${UUID.replaceAll("-", "")}`]],
    [
      "all of them, the strongest first",
      { machine_id: UUID, serial: "CZC1234XYZ" },
      ["serial:CZC1234XYZ", `machine_id:${UUID.replaceAll("-", "")}`],
    ],
  ])("is %s", (_what, said, keys) => {
    expect(marksOf(said).map(({ key }) => key)).toEqual(keys);
  });

  it.each([
    "To Be Filled By O.E.M.",
    "To be filled by O.E.M. 1",
    "Default string",
    "None",
    "0",
    "00000000",
    "0000000001",
    "System Serial Number",
    "Chassis Serial Number",
    "Not Specified",
    "N/A",
    "unbekannt",
    "0123456789",
    "123456789",
    "1234567890",
    "SSN1234567890123",
    "MB-1234567890",
    "0123456789ABCDEF",
    "XXXXXXXX",
    "OEM",
    "1",
    "A12",
    "INVALID",
    "...............",
    "",
  ])("is not the serial number %s", (serial) => {
    expect(marksOf({ serial })).toEqual([]);
  });

  it.each([
    ["a model in its place", { serial: "DS918+", model: "DS918+" }],
    ["an id that firmware comes with", { machine_id: "03000200-0400-0500-0006-000700080009" }],
    ["an id of zeros", { machine_id: "00000000000000000000000000000000" }],
    ["an id that is not set yet", { machine_id: "uninitialized" }],
    ["a security identifier of Windows", { machine_id: "S-1-5-21-3623811015-3361044348-30300820" }],
    ["a DUID without contents", { duid: "00:03:00:01:00:00:00:00:00:00" }],
    ["a DUID of no known type", { duid: "00:09:00:01:7c:2f:80:00:00:01" }],
    ["a text that is no DUID", { duid: "laptop" }],
  ])("is not %s", (_what, said) => {
    expect(marksOf(said)).toEqual([]);
  });
});
