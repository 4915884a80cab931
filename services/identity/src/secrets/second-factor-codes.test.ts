import { describe, expect, it } from "@jest/globals";
import { hashesOf, newAppSecret, newRecoveryCodes, readCode, RECOVERY_CODES, stepOf } from "./second-factor-codes.js";

/** The secret of RFC 6238, appendix B: twenty bytes, and the last six digits of its SHA-1 codes. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const at = (seconds: number): Date => new Date(seconds * 1000);

describe("second-factor.codes: a code", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
  ])("matches RFC 6238 at %i s", (seconds, digits) => {
    expect(stepOf(SECRET, digits, at(seconds), 0)).toBe(Math.floor(seconds / 30));
  });

  it("is valid 30 s around its time, and neither before nor after", () => {
    const seconds = 1_234_567_890;
    const digits = "005924";
    const step = seconds / 30;
    for (const off of [-30, 0, 30]) expect(stepOf(SECRET, digits, at(seconds + off), 0)).toBe(step);
    for (const off of [-60, 60]) expect(stepOf(SECRET, digits, at(seconds + off), 0)).toBeNull();
  });

  it("is invalid once its step, or a later one, was accepted", () => {
    const step = 1_234_567_890 / 30;
    expect(stepOf(SECRET, "005924", at(1_234_567_890), step - 1)).toBe(step);
    for (const after of [step, step + 1]) expect(stepOf(SECRET, "005924", at(1_234_567_890), after)).toBeNull();
  });

  it("is parsed with spaces and hyphens, and nothing else is accepted", () => {
    for (const text of ["005924", " 005 924 ", "005-924"])
      expect(readCode(text)).toEqual({ kind: "digits", digits: "005924" });
    for (const text of ["", "00592", "0059244", "٠٠٥٩٢٤", "abcdef", "k3vd-x2mw-7qpa-c5n", "k3vd-x2mw-7qpa-c5n1"])
      expect(readCode(text)).toBeNull();
  });
});

describe("second-factor.codes: recovery codes", () => {
  it("are ten distinct ones of 80 bits, of which hashes are stored", () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(RECOVERY_CODES);
    for (const code of codes) expect(code).toMatch(/^(?:[a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    const hashes = hashesOf(codes);
    expect(codes.map((code) => readCode(code.toUpperCase()))).toEqual(
      hashes.map((hash) => ({ kind: "recovery", hash })),
    );
  });
});

describe("second-factor.codes: the secret of an authenticator app", () => {
  it("has 160 bits, and a URL with the secret and the account", () => {
    const { secret, otpauth_url } = newAppSecret("ada@example.com");
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newAppSecret("ada@example.com").secret).not.toBe(secret);
    const url = new URL(otpauth_url);
    expect([url.protocol, decodeURIComponent(url.pathname)]).toEqual([
      "otpauth:",
      expect.stringContaining("ada@example.com"),
    ]);
    expect([url.searchParams.get("secret"), url.searchParams.get("issuer")]).toEqual([secret, "Network topology"]);
  });
});
