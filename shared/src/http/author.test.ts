import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { authorIn } from "./author.js";
import type { Principal } from "./tenancy.js";

const principal = { kind: "key", credentialId: "key", userId: "user", email: null } as unknown as Principal;
const commentOf = (bytes: Buffer): string | null | undefined => {
  const request = { method: "POST", headers: { "change-comment": bytes.toString("latin1") } };
  return authorIn(request as unknown as IncomingMessage, principal, "request")?.comment;
};

describe("the comment of a change", () => {
  it("is decoded as UTF-8, or as Latin-1 when it is not valid UTF-8", () => {
    expect(commentOf(Buffer.from("Büro", "utf8"))).toBe("Büro");
    expect(commentOf(Buffer.from("Büro", "latin1"))).toBe("Büro");
  });

  it("is rejected when it has control characters, however they are encoded", () => {
    expect(() => commentOf(Buffer.from([0x84]))).toThrow();
    expect(() => commentOf(Buffer.from("\u0084", "utf8"))).toThrow();
  });
});
