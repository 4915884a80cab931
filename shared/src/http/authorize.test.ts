import { describe, expect, it } from "@jest/globals";
import { PERMISSIONS, type CredentialRule, type Permission } from "../contract/endpoint.js";
import { AppError } from "../errors.js";
import { authorize } from "./authorize.js";
import type { Principal, UserPrincipal } from "./tenancy.js";

const user = (kind: "key" | "session", permission: Permission): Principal => ({
  kind,
  credentialId: "c",
  userId: "u",
  permission,
  scope: { organizationId: "o", networks: "all" },
});

function refusal(credential: CredentialRule, permission: Permission | null, principal: Principal): unknown {
  try {
    authorize({ credential, permission }, principal);
    return null;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.params] : error;
  }
}

describe("authorize: who may call an operation", () => {
  it("admits the required level or a higher one, and reports the missing level", () => {
    PERMISSIONS.forEach((own, ownRank) => {
      PERMISSIONS.forEach((needed, neededRank) => {
        const expected = ownRank <= neededRank ? null : ["permission_denied", { required: needed }];
        expect(refusal("any", needed, user("key", own))).toEqual(expected);
      });
    });
  });

  it("rejects API keys where a session is required, before it checks their level", () => {
    expect(refusal("session", "Owner", user("key", "Viewer"))).toEqual(["session_required", {}]);
    expect(refusal("session", "Viewer", user("session", "Viewer"))).toBeNull();
  });

  it("rejects restricted API keys on operations of the whole organization", () => {
    const operation = { credential: "any", permission: "Viewer", wholeOrganization: true } as const;
    const narrowed = (kind: "key" | "session", networks: "all" | string[]): Principal => ({
      ...(user(kind, "Owner") as UserPrincipal),
      scope: { organizationId: "o", networks },
    });
    expect(() => {
      authorize(operation, narrowed("key", ["n"]));
    }).toThrow(new AppError("permission_denied", { required: "all_networks" }));
    authorize(operation, narrowed("key", "all"));
    authorize(operation, narrowed("session", ["n"]));
    authorize({ ...operation, wholeOrganization: false }, narrowed("key", []));
  });

  it("accepts neither anonymous callers nor processes as users", () => {
    for (const kind of ["anonymous", "process"] as const)
      for (const credential of ["any", "session"] as const)
        expect(refusal(credential, null, { kind })).toEqual(["not_authenticated", {}]);
  });

  it("admits only processes to internal operations", () => {
    expect(refusal("process", null, { kind: "process" })).toBeNull();
    expect(refusal("process", null, user("session", "Owner"))).toEqual(["permission_denied", {}]);
    expect(refusal("process", null, { kind: "anonymous" })).toEqual(["permission_denied", {}]);
  });

  it("admits anybody to public operations", () => {
    expect(refusal("none", null, { kind: "anonymous" })).toBeNull();
    expect(refusal("optional", null, { kind: "anonymous" })).toBeNull();
  });
});
