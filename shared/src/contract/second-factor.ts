import { z } from "zod";
import { Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Proof, PROOF_FAULTS, User } from "./users.js";

/** The state of a user's second factor. @see docs/people.md "A second factor" */
export const SecondFactor = z
  .object({
    enabled: z.boolean(),
    enabled_at: Timestamp.nullable(),
    recovery_codes_left: z.int(),
    confirmed_until: Timestamp.nullable().describe(
      "Until when the session may perform operations that require confirmation.",
    ),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const SecondFactorOffer = z
  .object({
    secret: z.string().describe("Base32, for manual entry in an app."),
    otpauth_url: z.string().describe("The secret as a URL, for a QR code."),
    expires_at: Timestamp,
  })
  .meta({ id: "SecondFactorOffer" });
export type SecondFactorOffer = z.infer<typeof SecondFactorOffer>;

const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).describe("Each can be used once instead of a code.") })
  .meta({ id: "RecoveryCodes" });

/** Accepts any text, so that malformed and wrong codes get the same response. */
const Code = z.string().max(100).describe("Six digits from the app, or a recovery code.");
const Challenge = z.string().max(200).describe("The challenge of the login; valid for one session.");
const SecondStep = z.object({ challenge: Challenge, code: Code }).meta({ id: "SecondFactorLogin" });
const CodeGiven = z.object({ code: Code }).meta({ id: "SecondFactorCode" });

const common = { upstream: "identity", credential: "session", permission: null, tag: "Authentication" } as const;
const path = "/api/auth/second-factor";
const GUESSED = ["second_factor_invalid", "login_throttled", "second_factor_not_configured", "write_conflict"] as const;

export const loginSecondFactor = endpoint({
  ...common,
  operationId: "login_second_factor",
  method: "post",
  path: "/api/auth/login/second-factor",
  credential: "none",
  endsSessions: true,
  summary: "Complete a login with a second-factor code",
  description: "Each code is accepted once. Wrong codes are throttled like wrong passwords.",
  body: SecondStep,
  response: User,
  errors: [...GUESSED, "challenge_expired", "account_disabled"],
});

const atLogin = { ...common, credential: "none", method: "post" } as const;

export const offerSecondFactorAtLogin = endpoint({
  ...atLogin,
  showsSecret: true,
  operationId: "offer_second_factor_at_login",
  path: "/api/auth/login/second-factor/offer",
  summary: "Start the authenticator setup required by a login",
  description:
    "For users without a second factor of organizations that require one. The secret is shown only here; it becomes active with its first code.",
  body: z.object({ challenge: Challenge }).meta({ id: "SecondFactorLoginSetUp" }),
  response: SecondFactorOffer,
  errors: ["challenge_expired", "second_factor_not_configured", "write_conflict"],
});

export const enableSecondFactorAtLogin = endpoint({
  ...atLogin,
  endsSessions: true,
  showsSecret: true,
  operationId: "enable_second_factor_at_login",
  path: "/api/auth/login/second-factor/enable",
  summary: "Complete a login with the first code of the new authenticator app",
  description: "Sets the cookie `session_id`. The recovery codes are shown only here.",
  body: SecondStep,
  etag: true,
  response: z.object({ user: User, ...RecoveryCodes.shape }).meta({ id: "FirstSecondFactorLogin" }),
  errors: [...GUESSED, "challenge_expired", "account_disabled", "not_found"],
});

export const getSecondFactor = endpoint({
  ...common,
  operationId: "get_second_factor",
  method: "get",
  path,
  summary: "Get the state of the caller's second factor",
  description: "Whether one is set up, and how many recovery codes are left.",
  response: SecondFactor,
  errors: [],
});

export const offerSecondFactor = endpoint({
  ...common,
  showsSecret: true,
  operationId: "offer_second_factor",
  method: "post",
  path,
  summary: "Start setting up an authenticator app; it becomes active with its first code",
  description: "Replacing an existing app requires a confirmation.",
  body: Proof.meta({ id: "SecondFactorSetUp" }),
  response: SecondFactorOffer,
  errors: [...PROOF_FAULTS, "second_factor_not_configured", "write_conflict"],
});

export const enableSecondFactor = endpoint({
  ...common,
  showsSecret: true,
  operationId: "enable_second_factor",
  method: "post",
  path: `${path}/enable`,
  summary: "Enable the second factor that is being set up; every sign-in then requires a code",
  description: "All other sessions of the user end. The recovery codes are shown only here.",
  body: CodeGiven,
  response: RecoveryCodes,
  errors: [...GUESSED, "confirmation_required", "not_found"],
});

export const confirmSecondFactor = endpoint({
  ...common,
  operationId: "confirm_second_factor",
  method: "post",
  path: `${path}/confirm`,
  summary: "Confirm the session with a code, for ten minutes",
  description:
    "Required to create or rotate keys of level Owner, to promote or invite Owners, and to change the second factor.",
  body: CodeGiven,
  response: z.object({ confirmed_until: Timestamp }).meta({ id: "Confirmation" }),
  errors: [...GUESSED, "not_found"],
});

export const renewRecoveryCodes = endpoint({
  ...common,
  showsSecret: true,
  operationId: "renew_recovery_codes",
  method: "post",
  path: `${path}/recovery-codes`,
  summary: "Generate new recovery codes, which invalidates the previous ones",
  description: "They are shown only here. Requires a confirmation by a code.",
  response: RecoveryCodes,
  errors: ["confirmation_required", "not_found", "write_conflict"],
});

export const disableSecondFactor = endpoint({
  ...common,
  operationId: "disable_second_factor",
  method: "delete",
  path,
  summary: "Disable the second factor",
  description: "Requires a confirmation by a code. Recovery codes end with it.",
  response: Nothing,
  errors: ["confirmation_required", "not_found", "write_conflict"],
});
