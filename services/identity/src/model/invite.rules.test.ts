import { describe, expect, it } from "@jest/globals";
import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import { inviteResponse, isUsable, newInvite } from "./invite.rules.js";

const now = new Date("2026-06-01T12:00:00.000Z");
const after = (ms: number): Date => new Date(now.getTime() + ms);
const own = { _id: "invite", hash: "hash", organization_id: "organization", invited_by: "ada", now };
const existing = ["home", "office"];

describe("invites.invite: creating", () => {
  it("sets the requested lifetime, and the networks without duplicates", () => {
    const input = { permissions: "Viewer", network_ids: ["home", "home"], expires_in_hours: 2 } as const;
    const made = newInvite({ ...input, network_ids: [...input.network_ids] }, own, existing);
    expect(made).toMatchObject({ permissions: "Viewer", network_ids: ["home"], expires_at: after(7_200_000) });
  });

  it("grants no networks to an Admin, who has all", () => {
    const input = { permissions: "Admin", network_ids: ["home"], expires_in_hours: 1 } as const;
    expect(newInvite({ ...input, network_ids: [...input.network_ids] }, own, existing).network_ids).toEqual([]);
  });

  it("rejects a network that does not exist", () => {
    expect(() =>
      newInvite({ permissions: "Viewer", network_ids: ["gone"], expires_in_hours: 1 }, own, existing),
    ).toThrow(expect.objectContaining({ code: "invalid_reference", params: { path: "network_ids.0" } }));
  });

  it("returns neither the hash nor networks that the caller may not see", () => {
    const made = newInvite({ permissions: "Viewer", network_ids: [...existing], expires_in_hours: 1 }, own, existing);
    const returned = inviteResponse(made, ["office"]);
    expect(returned.network_ids).toEqual(["office"]);
    expect(JSON.stringify(returned)).not.toContain("hash");
  });
});

describe("invites.invite: using", () => {
  const invite = (permissions: Permission) => ({ permissions, expires_at: after(1) });
  const by = (permissions: Permission) => ({ permissions });

  it("works until it expires, to the millisecond", () => {
    expect(isUsable(invite("Viewer"), by("Owner"), now)).toBe(true);
    expect(isUsable(invite("Viewer"), by("Owner"), after(1))).toBe(false);
  });

  it("works for the levels that its inviter may grant at present", () => {
    const usable = (level: Permission) => PERMISSIONS.filter((one) => isUsable(invite(one), by(level), now));
    expect(usable("Owner")).toEqual(PERMISSIONS);
    expect(usable("Admin")).toEqual(["Member", "Viewer"]);
    expect([usable("Member"), usable("Viewer")]).toEqual([[], []]);
  });

  it("does not work when its inviter was removed", () => {
    expect(isUsable(invite("Viewer"), null, now)).toBe(false);
  });
});
