import { describe, expect, it } from "@jest/globals";
import { faultLine, faultSentence, fieldText, placeText } from "./field-texts.js";

describe("members of the API as people call them", () => {
  it("are labels of fields and places", () => {
    expect(["cidr", "subnet_id", "hostname", "observed.title"].map(fieldText)).toEqual([
      "Range (CIDR)",
      "Subnet",
      "Hostname",
      "Title",
    ]);
    expect(["ip_address", "reserved.0.from", "interfaces.1.ip_address", "tags.2", ""].map(placeText)).toEqual([
      "IP address",
      "Reserved 1, first address",
      "Interfaces 2, IP address",
      "Tags 3",
      "",
    ]);
  });
});

describe("what is wrong with a field", () => {
  it.each([
    ["ip_address", "must be an IPv4 or IPv6 address", "Enter an IPv4 or IPv6 address."],
    ["ip_address", "must be an IPv4 or IPv6 address, or `next`", "Enter an IPv4 or IPv6 address."],
    ["cidr", "must be an IPv4 or IPv6 block in CIDR notation", "Enter a range such as 10.0.10.0/24 or fd00:10::/64."],
    ["subnet_id", "must be a UUID", "Choose a subnet."],
    ["bindings.0.interface_id", "is required", "Choose an interface."],
    ["number", "is required", "This is required."],
    ["name", "must not be empty", "This must not be empty."],
    ["password", "is too easy to guess. Add another word.", "This is too easy to guess. Add another word."],
    ["q", "no", "No."],
  ])("%s %s", (path, fault, sentence) => {
    expect(faultSentence(path, fault)).toBe(sentence);
  });

  it("is said away from the field, with its label", () => {
    expect([
      faultLine("name", "This must not be empty."),
      faultLine("subnet_id", "Choose a subnet."),
      faultLine("", "The file is empty."),
    ]).toEqual(["Name must not be empty.", "Subnet: Choose a subnet.", "The file is empty."]);
  });
});
