import { describe, expect, it } from "@jest/globals";
import { fits } from "./code-verifiers.js";

// From RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe("a code verifier", () => {
  it("is the one of its challenge, and no other", () => {
    expect(fits(VERIFIER, CHALLENGE)).toBe(true);
    for (const wrong of [`${VERIFIER}x`, CHALLENGE, "", undefined]) expect(fits(wrong, CHALLENGE)).toBe(false);
  });
});
