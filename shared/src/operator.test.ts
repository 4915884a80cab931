import { describe, expect, it } from "@jest/globals";
import { userInfo } from "node:os";
import { operatorName } from "./operator.js";

describe("the operator in the log", () => {
  it("is the name of the system user, or the numeric id when it has no name", () => {
    expect(operatorName()).toBe(userInfo().username);
    const nameless = () => {
      throw new Error("ENOENT");
    };
    expect(operatorName(nameless)).toBe(`uid ${userInfo().uid}`);
  });
});
