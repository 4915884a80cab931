import { describe, expect, it } from "@jest/globals";
import { userInfo } from "node:os";
import { operatorName } from "./operator.js";

describe("admin.operator: who is written into the log", () => {
  it("is the name of the user, or the number where the system knows no name", () => {
    expect(operatorName()).toBe(userInfo().username);
    const nameless = () => {
      throw new Error("ENOENT");
    };
    expect(operatorName(nameless)).toBe(`uid ${userInfo().uid}`);
  });
});
