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
  it("lets a level do what needs that level or a lower one, and names the level that is missing", () => {
    PERMISSIONS.forEach((held, heldRank) => {
      PERMISSIONS.forEach((needed, neededRank) => {
        const expected = heldRank <= neededRank ? null : ["permission_denied", { required: needed }];
        expect(refusal("any", needed, user("key", held))).toEqual(expected);
      });
    });
  });

  it("keeps API keys out of what needs a session, before it looks at their level", () => {
    expect(refusal("session", "Owner", user("key", "Viewer"))).toEqual(["session_required", {}]);
    expect(refusal("session", "Viewer", user("session", "Viewer"))).toBeNull();
  });

  it("keeps API keys that are restricted to networks from what belongs to the whole organization", () => {
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

  it("takes nobody, and no process, for a user", () => {
    for (const kind of ["anonymous", "process"] as const)
      for (const credential of ["any", "session"] as const)
        expect(refusal(credential, null, { kind })).toEqual(["not_authenticated", {}]);
  });

  it("opens what is internal to processes only", () => {
    expect(refusal("process", null, { kind: "process" })).toBeNull();
    expect(refusal("process", null, user("session", "Owner"))).toEqual(["permission_denied", {}]);
    expect(refusal("process", null, { kind: "anonymous" })).toEqual(["permission_denied", {}]);
  });

  it("lets anybody call what needs nothing", () => {
    expect(refusal("none", null, { kind: "anonymous" })).toBeNull();
    expect(refusal("optional", null, { kind: "anonymous" })).toBeNull();
  });
});
