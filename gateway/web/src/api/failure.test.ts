import { describe, expect, it } from "@jest/globals";
import { ApiError } from "@nts/shared/client";
import { ERRORS, type ErrorCode, type ErrorParams } from "@nts/shared/errors";
import { describeFailure, faultsByPath, isChanged, isTransient, isSignedOut } from "./failure.js";

function anError(
  status: number,
  code: ErrorCode,
  params: ErrorParams = {},
  retryAfter: string | null = null,
): ApiError {
  const envelope = { error: ERRORS[code], code, params, meta: { request_id: "r" } };
  return new ApiError({ status, method: "GET", path: "/", retryAfter }, envelope);
}

describe("the classification of failures", () => {
  it.each([
    [new TypeError("fetch failed"), "unreachable"],
    [anError(401, "session_expired"), "signed-out"],
    [anError(401, "invalid_credentials"), "refused"],
    [anError(403, "permission_denied", { required: "Admin" }), "forbidden"],
    [anError(404, "not_found"), "missing"],
    [anError(410, "changes_gone"), "refused"],
    [anError(409, "in_use"), "refused"],
    [anError(412, "precondition_failed"), "changed"],
    [anError(429, "rate_limited", {}, "3"), "limited"],
    [anError(503, "unavailable"), "fault"],
    [anError(501, "mail_not_configured"), "refused"],
  ])("distinguishes %s", (error, kind) => {
    expect(describeFailure(error).kind).toBe(kind);
  });

  it("reports how long to wait, and which level is needed", () => {
    expect(describeFailure(anError(429, "rate_limited", {}, "3"))).toMatchObject({
      waitSeconds: 3,
      text: "Wait 3 seconds.",
    });
    const textFor = (required: string): string => describeFailure(anError(403, "permission_denied", { required })).text;
    expect(textFor("Admin")).toContain("the Admin role. Ask an Owner of");
    expect(textFor("Member")).toContain("the Member role. Ask an Owner or Admin of");
  });

  it("retries only requests that were not rejected", () => {
    expect([new TypeError("x"), anError(503, "unavailable"), anError(404, "not_found")].map(isTransient)).toEqual([
      true,
      true,
      false,
    ]);
    expect(isTransient(anError(501, "mail_not_configured"))).toBe(false);
    expect([isSignedOut(anError(401, "not_authenticated")), isSignedOut(anError(401, "invalid_credentials"))]).toEqual([
      true,
      false,
    ]);
    expect(isChanged(anError(412, "precondition_failed"))).toBe(true);
  });
});

describe("the messages of form fields", () => {
  it("are shown as sentences at the field that the API names", () => {
    const errors = [
      { path: "name", message: "must not be empty" },
      { path: "password", message: "is too easy to guess. Add another word." },
      { path: "interfaces.0.ip_address", message: "no" },
    ];
    expect(faultsByPath(anError(400, "validation_failed", { errors }))).toEqual({
      name: "This must not be empty.",
      password: "This is too easy to guess. Add another word.",
      "interfaces.0.ip_address": "No.",
    });
    expect(faultsByPath(anError(409, "already_exists", { entity: "Tag", field: "name" }))).toEqual({
      name: ERRORS.already_exists,
    });
    expect(faultsByPath(anError(400, "invalid_reference", { path: "subnet_id" }))).toEqual({
      subnet_id: ERRORS.invalid_reference,
    });
    expect(
      faultsByPath(anError(400, "ip_outside_subnet", { ip_address: "10.9.9.9", cidr: "10.0.0.0/24" })).ip_address,
    ).toBe("10.9.9.9 lies outside the subnet 10.0.0.0/24.");
  });

  it("are absent when the failure belongs to no field", () => {
    expect([anError(409, "in_use"), new TypeError("x")].map(faultsByPath)).toEqual([{}, {}]);
  });
});
