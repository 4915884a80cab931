import { describe, expect, it } from "@jest/globals";
import { compareNames, hostLabel } from "./host-names.rules.js";

describe("hostnames", () => {
  it.each([
    ["nas", "nas"],
    ["NAS.Home.Example.", "nas"],
    ["localhost", null],
    ["localhost.localdomain", null],
    ["", null],
    [null, null],
  ])("%p are indexed by their first label: %p", (hostname, label) => {
    expect(hostLabel(hostname)).toBe(label);
  });

  it.each([
    ["nas", "NAS", "same"],
    ["nas.home.example", "NAS.home.example.", "same"],
    ["nas", "nas.home.example", "maybe"],
    ["nas.home.example", "nas", "maybe"],
    ["nas.home.example", "nas.office.example", "different"],
    ["nas", "nas2.home.example", "different"],
    ["nas", "web", "different"],
  ] as const)("%s and %s: %s", (a, b, expected) => {
    expect(compareNames(a, b)).toBe(expected);
  });
});
