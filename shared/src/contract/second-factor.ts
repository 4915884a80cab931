import { z } from "zod";
import { Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Proof, PROOF_FAULTS, User } from "./users.js";

/** What somebody has beside the password. @see docs/people.md "A second factor" */
export const SecondFactor = z
  .object({
    enabled: z.boolean(),
    enabled_at: Timestamp.nullable(),
    recovery_codes_left: z.int(),
    confirmed_until: Timestamp.nullable().describe("The session may do until then what takes a confirmation."),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.infer<typeof SecondFactor>;

export const SecondFactorOffer = z
  .object({
    secret: z.string().describe("In Base32, to be typed into an app."),
    otpauth_url: z.string().describe("The same, for a QR code."),
    expires_at: Timestamp,
  })
  .meta({ id: "SecondFactorOffer" });
export type SecondFactorOffer = z.infer<typeof SecondFactorOffer>;

const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()).describe("Each works once, in place of a code.") })
  .meta({ id: "RecoveryCodes" });

/** Any text, so that a wrong one is told from an impossible one by nothing. */
const Code = z.string().max(100).describe("Six digits of the app, or a recovery code.");
const Challenge = z.string().max(200).describe("Of the login; good for one session.");
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
  summary: "Start a session with the code that a login has asked for",
  description: "A code is accepted once. Wrong ones make one wait, as wrong passwords do.",
  body: SecondStep,
  response: User,
  errors: [...GUESSED, "challenge_expired"],
});

const atLogin = { ...common, credential: "none", method: "post" } as const;

export const offerSecondFactorAtLogin = endpoint({
  ...atLogin,
  showsSecret: true,
  operationId: "offer_second_factor_at_login",
  path: "/api/auth/login/second-factor/offer",
  summary: "Begin to set up an authenticator app where a login has asked for one",
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
  summary: "Start a session with the first code of the app that a login has asked for",
  body: SecondStep,
  response: z.object({ user: User, ...RecoveryCodes.shape }).meta({ id: "FirstSecondFactorLogin" }),
  errors: [...GUESSED, "challenge_expired", "not_found"],
});

export const getSecondFactor = endpoint({
  ...common,
  operationId: "get_second_factor",
  method: "get",
  path,
  summary: "Whether the caller has a second factor",
  response: SecondFactor,
  errors: [],
});

export const offerSecondFactor = endpoint({
  ...common,
  showsSecret: true,
  operationId: "offer_second_factor",
  method: "post",
  path,
  summary: "Begin to set up an authenticator app; it counts once a code of it was right",
  description: "In place of the present one, if there is one, which takes a confirmation.",
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
  summary: "Make the app that is being set up the second factor; from then on each sign-in takes a code",
  body: CodeGiven,
  response: RecoveryCodes,
  errors: [...GUESSED, "confirmation_required", "not_found"],
});

export const confirmSecondFactor = endpoint({
  ...common,
  operationId: "confirm_second_factor",
  method: "post",
  path: `${path}/confirm`,
  summary: "Confirm with a code, for ten minutes, what the session does",
  description:
    "Keys of level Owner are made and rotated, Owners made and invited, and the second factor is changed by confirmed sessions only.",
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
  summary: "Get new recovery codes; those from before are worth nothing",
  response: RecoveryCodes,
  errors: ["confirmation_required", "not_found", "write_conflict"],
});

export const disableSecondFactor = endpoint({
  ...common,
  operationId: "disable_second_factor",
  method: "delete",
  path,
  summary: "Switch the second factor off",
  response: Nothing,
  errors: ["confirmation_required", "not_found", "write_conflict"],
});
