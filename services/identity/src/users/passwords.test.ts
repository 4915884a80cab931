import { afterAll, describe, expect, it } from "@jest/globals";
import { BACKGROUND } from "@nts/shared/work";
import { createPasswords } from "./passwords.js";

const passwords = createPasswords({ memoryCost: 64, timeCost: 3, parallelism: 1 });
afterAll(() => passwords.close());

describe("passwords", () => {
  it("match their own hash only", async () => {
    const stored = await passwords.hash("correct", BACKGROUND);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=64,t=3,p=1\$/);
    expect(await Promise.all(["correct", "wrong"].map((one) => passwords.matches(stored, one, BACKGROUND)))).toEqual([
      true,
      false,
    ]);
  });

  it("of unknown users are compared with a hash of the same cost, and never match", async () => {
    // A hash of another format would be refused.
    expect(await passwords.matches(null, "wrong", BACKGROUND)).toBe(false);
  });
});
