import { describe, expect, it } from "@jest/globals";
import { isOwn, levelIn, redirectOf, registrationOf, requestFault, withOutcome } from "./authorization.rules.js";

const clientOf = (...redirect_uris: string[]) => ({ _id: "c", name: "n", redirect_uris, created_at: new Date() });
const OWN = ["https://nts.example/mcp", "https://nts.example"];
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe("the registration of an assistant", () => {
  it("takes redirects to https and to the machine of the browser, and no others", () => {
    const errorOf = (...redirect_uris: string[]) => {
      const result = registrationOf({ redirect_uris });
      return "error" in result ? result.error : null;
    };
    expect(
      errorOf("https://claude.ai/api/mcp/auth_callback", "http://127.0.0.1/x", "http://[::1]:1/", "http://localhost/"),
    ).toBeNull();
    for (const wrong of [
      ...[
        "http://example.com/",
        "javascript:alert(1)",
        "cursor://x",
        "https://a@b.example/",
        "https://b.example/#",
        "",
      ],
      `https://b.example/${"x".repeat(500)}`,
    ])
      expect([wrong, errorOf(wrong)]).toEqual([wrong, "invalid_redirect_uri"]);
    expect(errorOf()).toBe("invalid_redirect_uri");
    expect(errorOf(...Array.from({ length: 11 }, (_, at) => `https://a.example/${at}`))).toBe("invalid_redirect_uri");
  });

  it("has a name in one line, which cannot be mistaken for other text", () => {
    const nameOf = (client_name: string) => registrationOf({ client_name, redirect_uris: ["https://a.example/"] });
    expect(nameOf("  My\n\u202eAssistant ")).toMatchObject({ name: "My Assistant" });
    expect(nameOf("")).toMatchObject({ name: "An assistant without a name" });
    expect(registrationOf({ redirect_uris: ["https://a.example/"], grant_types: ["implicit"] })).toMatchObject({
      error: "invalid_client_metadata",
    });
  });
});

describe("a request for authorization", () => {
  it("returns to a registered address exactly, but for the port of loopback", () => {
    const web = clientOf("https://a.example/cb", "https://a.example/other");
    expect(redirectOf(web, "https://a.example/cb")).toBe("https://a.example/cb");
    for (const wrong of ["https://a.example/cb/", "https://a.example/cb?x=1", "https://a.example:444/cb", undefined])
      expect(redirectOf(web, wrong)).toBeNull();
    const local = clientOf("http://127.0.0.1/cb");
    expect(redirectOf(local, "http://127.0.0.1:51234/cb")).toBe("http://127.0.0.1:51234/cb");
    expect(redirectOf(local, undefined)).toBe("http://127.0.0.1/cb");
    for (const wrong of ["http://localhost:51234/cb", "http://127.0.0.1:51234/", "https://127.0.0.1/cb", "nonsense"])
      expect(redirectOf(local, wrong)).toBeNull();
  });

  it("needs a challenge by S256, and is for this server", () => {
    const good = { response_type: "code", client_id: "c", code_challenge: CHALLENGE, code_challenge_method: "S256" };
    expect(requestFault({ ...good, resource: "https://nts.example/mcp/" }, OWN)).toBeNull();
    const errorOf = (change: object) => requestFault({ ...good, ...change }, OWN)?.error;
    expect([
      errorOf({ response_type: "token" }),
      errorOf({ code_challenge: undefined }),
      errorOf({ code_challenge_method: "plain" }),
      errorOf({ code_challenge_method: undefined }),
      errorOf({ resource: "https://other.example/mcp" }),
    ]).toEqual([
      "unsupported_response_type",
      "invalid_request",
      "invalid_request",
      "invalid_request",
      "invalid_target",
    ]);
    expect([isOwn(undefined, OWN), isOwn("https://nts.example/", OWN), isOwn("https://nts.example/x", OWN)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("may name a level as scope", () => {
    expect([levelIn("openid member"), levelIn("viewer"), levelIn("mcp:tools"), levelIn(undefined)]).toEqual([
      "Member",
      "Viewer",
      null,
      null,
    ]);
  });

  it("is returned with its state and the issuer", () => {
    const back = { state: "a b&c", issuer: "https://nts.example" };
    expect(withOutcome("https://a.example/cb?x=1", { code: "C" }, back)).toBe(
      "https://a.example/cb?x=1&code=C&state=a+b%26c&iss=https%3A%2F%2Fnts.example",
    );
  });
});
