import { describe, expect, it } from "@jest/globals";
import { createApiKey } from "@nts/shared/api-key";
import { hashCredential } from "@nts/shared/credential";
import { readCredential, sessionsOf } from "./credential.js";

const { secret } = createApiKey();
const session = "A".repeat(43);

describe("the credential of a request", () => {
  it("is a well-formed bearer token, whatever the case of the scheme", () => {
    const expected = { kind: "key", hash: hashCredential(secret) };
    expect(readCredential({ authorization: `Bearer ${secret}` })).toEqual(expected);
    expect(readCredential({ authorization: `bearer  ${secret}` })).toEqual(expected);
  });

  it("is the bearer token when a cookie is sent too, even a malformed one", () => {
    const cookie = `session_id=${session}`;
    expect(readCredential({ authorization: `Bearer ${secret}`, cookie })).toMatchObject({ kind: "key" });
    expect(readCredential({ authorization: "Bearer nonsense", cookie })).toEqual({
      kind: "malformed",
      code: "api_key_invalid",
    });
  });

  it.each([`${secret.slice(0, -1)}!`, secret.slice(1), `${secret} `, `x${secret}`, ""])(
    "is rejected without a lookup when the bearer token is not a key (%j)",
    (text) => {
      expect(readCredential({ authorization: `Bearer ${text}` })).toMatchObject({ kind: "malformed" });
    },
  );

  it("is the session when another authorization scheme is used", () => {
    expect(readCredential({ authorization: "Basic eDp5", cookie: `a=b; session_id=${session}` })).toEqual({
      kind: "session",
      hash: hashCredential(session),
    });
  });

  it("is absent when only other cookies are sent", () => {
    expect(readCredential({ cookie: "other_session_id=1; session_idx=2; session_id" })).toEqual({ kind: "nothing" });
    expect(readCredential({})).toEqual({ kind: "nothing" });
  });

  it("reports the number of session cookies", () => {
    expect(sessionsOf("session_id=a; x=session_id; session_id=b")).toEqual(["a", "b"]);
  });
});
