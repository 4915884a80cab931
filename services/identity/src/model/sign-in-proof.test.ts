import { expect, it } from "@jest/globals";
import { newOrganization } from "./organization.js";
import { switchFaultOf, type SignInProof } from "./sign-in-proof.js";

const OPEN = newOrganization({ id: "a", name: "A", now: new Date(0) });
const GUARDED = { ...OPEN, require_second_factor: true };
const CLOSED = { ...OPEN, password_login: false };
const shown = (provider: SignInProof["provider"], isConfirmed = false): SignInProof => ({ provider, isConfirmed });

it.each([
  [OPEN, shown("none"), null],
  [OPEN, shown("free"), null],
  [OPEN, shown("bound", true), "provider_bound"],
  [CLOSED, shown("none", true), "password_login_disabled"],
  [CLOSED, shown("free"), null],
  [GUARDED, shown("none"), "confirmation_required"],
  [GUARDED, shown("free"), "confirmation_required"],
  [GUARDED, shown("none", true), null],
])(
  "sessions.acting: a session switches organization when its authentication is sufficient there (%#)",
  (organization, session, bar) => {
    expect(switchFaultOf(organization, session)).toBe(bar);
  },
);
