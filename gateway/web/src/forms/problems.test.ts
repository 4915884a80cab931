import { describe, expect, it } from "@jest/globals";
import { problemsOf } from "./problems.js";

describe("the summary of a form that was refused", () => {
  it("says what is wrong with which field, and a fault of two fields once", () => {
    const text = "10.9.9.9 lies outside the subnet 10.0.0.0/24.";
    const faults = { cidr: text, ip_address: text, name: "This must not be empty.", "": "The body is too large." };
    expect(problemsOf(faults, { ip_address: "10.9.9.9", name: "" })).toEqual([
      `IP address: ${text}`,
      "Name must not be empty.",
      "The body is too large.",
    ]);
  });
});
