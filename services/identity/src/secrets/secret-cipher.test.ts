import { describe, expect, it } from "@jest/globals";
import { createSecretCipher } from "./secret-cipher.js";

const OLD = "the-secret-of-before-with-32-letters";
const NEW = "the-secret-of-now-with-32-letters-too";

describe("second-factor.seal: the encrypted second factor", () => {
  it("is decrypted for its owner only, never encrypted the same way twice, and reveals nothing", () => {
    const { seal, open } = createSecretCipher([NEW]);
    const sealed = seal("JBSWY3DPEHPK3PXP", "ada");
    expect(open(sealed, "ada")).toBe("JBSWY3DPEHPK3PXP");
    expect(seal("JBSWY3DPEHPK3PXP", "ada")).not.toBe(sealed);
    expect(sealed + Buffer.from(sealed.split(".")[1] ?? "", "base64url").toString("latin1")).not.toContain("JBSWY");
    expect(() => open(sealed, "grace")).toThrow("Second factors");
  });

  it("is rejected when one bit of it was changed", () => {
    const { seal, open } = createSecretCipher([NEW]);
    const [id = "", body = ""] = seal("JBSWY3DPEHPK3PXP", "ada").split(".");
    const bytes = Buffer.from(body, "base64url");
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => open(`${id}.${changed.toString("base64url")}`, "ada")).toThrow();
    }
  });

  it("is decrypted under each current secret, and encrypted under the first one", () => {
    const sealed = createSecretCipher([OLD]).seal("JBSWY3DPEHPK3PXP", "ada");
    const both = createSecretCipher([NEW, OLD]);
    expect([both.open(sealed, "ada"), both.isCurrent(sealed)]).toEqual(["JBSWY3DPEHPK3PXP", false]);
    const again = both.seal("JBSWY3DPEHPK3PXP", "ada");
    expect([both.isCurrent(again), createSecretCipher([NEW]).open(again, "ada")]).toEqual([true, "JBSWY3DPEHPK3PXP"]);
    expect(() => createSecretCipher([NEW]).open(sealed, "ada")).toThrow("Second factors");
  });

  it("cannot be encrypted or decrypted when no secret is set", () => {
    const none = createSecretCipher([]);
    expect(() => none.seal("JBSWY3DPEHPK3PXP", "ada")).toThrow("Second factors");
    expect(() => none.open(createSecretCipher([NEW]).seal("x", "ada"), "ada")).toThrow("Second factors");
    expect(none.isCurrent("x.y")).toBe(false);
  });
});
