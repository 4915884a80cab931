import { describe, expect, it } from "@jest/globals";
import { formOf, OAuthFault, registrationRequestOf } from "./requests.rules.js";

const errorOf = (read: () => unknown): string | null => {
  try {
    read();
    return null;
  } catch (error) {
    return error instanceof OAuthFault ? error.error : String(error);
  }
};

describe("a request of an assistant", () => {
  it("has each parameter once, empty ones not at all, and others without effect", () => {
    expect(formOf("code=a%20b&state=&other=x", ["code", "state"])).toEqual({ code: "a b" });
    expect(errorOf(() => formOf("code=a&code=b", ["code"]))).toBe("invalid_request");
    expect(errorOf(() => formOf(`code=${"x".repeat(2_001)}`, ["code"]))).toBe("invalid_request");
    expect(errorOf(() => formOf("other=a&other=b", ["code"]))).toBeNull();
  });

  it("registers with an object that has redirects", () => {
    expect(registrationRequestOf('{"redirect_uris":["https://a.example/"],"scope":"x"}')).toEqual({
      redirect_uris: ["https://a.example/"],
    });
    expect(errorOf(() => registrationRequestOf("{"))).toBe("invalid_client_metadata");
    expect(errorOf(() => registrationRequestOf("null"))).toBe("invalid_client_metadata");
    expect(errorOf(() => registrationRequestOf("{}"))).toBe("invalid_redirect_uri");
    expect(errorOf(() => registrationRequestOf('{"redirect_uris":[1]}'))).toBe("invalid_redirect_uri");
    expect(errorOf(() => registrationRequestOf('{"redirect_uris":[],"client_name":1}'))).toBe(
      "invalid_client_metadata",
    );
  });
});
