import { describe, expect, it } from "@jest/globals";
import { challengeOf, problemText } from "./arrival.js";

describe("console.arrival: returning from a provider", () => {
  it("takes the second factor challenge from the fragment", () => {
    expect(challengeOf("#challenge=abc&set_up=true&next=%2Fhosts")).toEqual({
      ...{ challenge: "abc", isSetUp: true, next: "/hosts" },
    });
    expect(challengeOf("#challenge=abc")).toMatchObject({ isSetUp: false, next: "/" });
    expect(challengeOf("#other")).toBeNull();
  });

  it("shows the error in the words of the API, and no text from the address itself", () => {
    expect(problemText("account_unknown")).toBe("No user is linked to this account at the provider.");
    expect(problemText("link_required")).toContain("reset its password by mail");
    expect(problemText("<b>")).toBe("Sign-in failed.");
    expect(problemText("constructor")).toBe("Sign-in failed.");
    expect(problemText(null)).toBeUndefined();
  });
});
