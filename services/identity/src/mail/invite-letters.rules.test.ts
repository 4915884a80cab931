import { describe, expect, it } from "@jest/globals";
import { harmlessName } from "./invite-letters.rules.js";

describe("invites.invite-letters: the name of an organization", () => {
  it.each(["My Organization", "Ada & Söhne", "Lab No. 7", "home"])("is shown in the mail: %s", (name) => {
    expect(harmlessName(name)).toBe(name);
  });

  it.each(["Win at https://casino.example", "casino.example", "ask ada@example.com", "WWW winners", "x".repeat(61)])(
    "is omitted when it could be an advertisement: %s",
    (name) => {
      expect(harmlessName(name)).toBeNull();
    },
  );
});
