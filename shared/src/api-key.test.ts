import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createApiKey, isWellFormedApiKey, maskApiKey, parseApiKey } from "./api-key.js";

const numbers = fc.infiniteStream(fc.integer({ min: 0, max: 61 }));
const keys = numbers.map((stream) => createApiKey(() => (stream.next() as IteratorYieldResult<number>).value));

describe("api-key: the format of API keys", () => {
  it("is a prefix, a public id, a secret and a checksum that one double click selects", () => {
    fc.assert(
      fc.property(keys, ({ secret, publicId }) => {
        expect(secret).toMatch(/^nts_u_\w{8}_[0-9A-Za-z]{38}$/);
        expect(secret.slice(6, 14)).toBe(publicId);
      }),
    );
  });

  it("accepts every generated key and returns its public id", () => {
    fc.assert(
      fc.property(keys, ({ secret, publicId }) => {
        expect(parseApiKey(secret)).toEqual({ publicId });
      }),
    );
  });

  it("rejects a key with any one character changed", () => {
    fc.assert(
      fc.property(keys, fc.nat(52), fc.string({ minLength: 1, maxLength: 1 }), ({ secret }, at, other) => {
        fc.pre(secret[at] !== other);
        expect(isWellFormedApiKey(secret.slice(0, at) + other + secret.slice(at + 1))).toBe(false);
      }),
    );
  });

  it("rejects a key with something before or after it, and any other text", () => {
    const { secret } = createApiKey();
    for (const text of [`${secret} `, ` ${secret}`, `${secret}\n`, `${secret}0`, secret.slice(1), "", "nts_u_"])
      expect(isWellFormedApiKey(text)).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedApiKey(text)));
  });

  it("keeps its checksum algorithm: a key made once stays valid", () => {
    expect(createApiKey(() => 0).secret).toBe("nts_u_00000000_000000000000000000000000000000003VwCbn");
  });

  it("reveals nothing of the secret in a mask of the same length", () => {
    fc.assert(
      fc.property(keys, ({ secret, publicId }) => {
        expect(maskApiKey(publicId)).toBe(`nts_u_${publicId}_${"*".repeat(38)}`);
        expect(maskApiKey(publicId)).toHaveLength(secret.length);
        expect(isWellFormedApiKey(maskApiKey(publicId))).toBe(false);
      }),
    );
  });

  it("generates secrets that do not repeat", () => {
    expect(new Set(Array.from({ length: 1000 }, () => createApiKey().secret)).size).toBe(1000);
  });
});
