import { afterAll, describe, expect, it } from "@jest/globals";
import { BACKGROUND } from "@nts/shared/work";
import { createPasswords } from "./passwords.js";
import { createPasswordJudge } from "./strength-judge.js";

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

  it("are refused before anything is computed when the rest of the request would be late", async () => {
    const late = { ...BACKGROUND, deadline: performance.now() };
    await expect(passwords.hash("correct", late)).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("the rating of passwords", () => {
  const judge = createPasswordJudge();
  afterAll(() => judge.close());

  it("asks callers to try again while the dictionaries take too long to load, and is then available", async () => {
    const soon = { ...BACKGROUND, deadline: performance.now() + 4_050 };
    await expect(judge.judge(["correct horse battery"], [], soon)).rejects.toMatchObject({ code: "unavailable" });
    await judge.load();
    expect(await judge.judge(["correct horse battery"], [], BACKGROUND)).toBeNull();
  });
});
