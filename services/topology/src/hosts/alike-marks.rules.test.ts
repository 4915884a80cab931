import { describe, expect, it } from "@jest/globals";
import { isEvidence, type KnownBy } from "./alike-marks.rules.js";

const SERIAL = "serial:PF3ABCDE";
const MACHINE = "machine_id:5f0c2d7a9b1e4c3d8e6f7a8b9c0d1e2f";
const DUID = "duid:00041111222233334444";

const host = (name: string | null, ...marks: readonly string[]): KnownBy => ({ id: "1", name, marks });

describe("a mark that several hosts have", () => {
  it.each([
    ["a serial number", SERIAL, [host("laptop", SERIAL), host("old-name", SERIAL)], true],
    ["that of one host", SERIAL, [host("laptop", SERIAL)], false],
    ["one that many hosts have", SERIAL, Array.from({ length: 21 }, (_, at) => host(`pc-${at}`, SERIAL)), false],
    ["a machine id with one name", MACHINE, [host("nas", MACHINE), host("nas.lan", MACHINE)], true],
    ["one where a name is not known", MACHINE, [host("nas", MACHINE), host(null, MACHINE)], true],
    ["that of copies of an image", MACHINE, [host("web-1", MACHINE), host("web-2", MACHINE)], false],
    ["one with a name that systems come with", MACHINE, [host("ubuntu", MACHINE), host(null, MACHINE)], false],
    ["one beside other serial numbers", DUID, [host(null, DUID, SERIAL), host(null, DUID, "serial:XY98765")], false],
    ["a DUID without names", DUID, [host(null, DUID), host(null, DUID, SERIAL)], true],
  ])("%s", (_, key, hosts, expected) => {
    expect(isEvidence(key, hosts)).toBe(expected);
  });
});
