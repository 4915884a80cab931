import { z } from "zod";
import { Name, Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";
import { User } from "./users.js";

// Sign-in for programs without a browser, in the forms of RFC 8628: a program shows a code, which a signed-in person
// enters in the console. @see docs/people.md "Signing in programs"

/** Letters of user codes: none are taken for each other, and no words result. */
export const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
export const USER_CODE_LENGTH = 8;

/** Any short text, so that malformed, unknown and used codes get the same response. */
const UserCode = z.string().max(100).describe("As shown by the program; hyphens, spaces and case do not matter.");
const UserCodeGiven = z.object({ user_code: UserCode }).meta({ id: "DeviceUserCode" });

/** Codes of a sign-in that has begun. */
export const DeviceCodes = z
  .object({
    device_code: z.string().describe("For the program only; it is exchanged for the session."),
    user_code: z.string().describe("To be shown to the person, such as `BCDF-GHJK`."),
    verification_uri: z.string().describe("The page on which the person enters it."),
    interval: z.int().describe("Seconds to wait between two requests for the session."),
    expires_in: z.int().describe("Seconds until both codes expire."),
  })
  .meta({ id: "DeviceCodes" });
export type DeviceCodes = z.infer<typeof DeviceCodes>;

/** A sign-in to be confirmed. */
export const DeviceSignIn = z
  .object({
    name: z.string().nullable().describe("What the program calls itself, which is not verified; null if it did not."),
    program: z.string().nullable().describe("From its User-Agent; null if it sent none."),
    address: z.string().nullable().describe("The address that it asks from; null if unknown."),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: "DeviceSignIn" });
export type DeviceSignIn = z.infer<typeof DeviceSignIn>;

const common = { upstream: "identity", permission: null, tag: "Authentication", method: "post" } as const;

export const startDeviceSignIn = endpoint({
  ...common,
  operationId: "start_device_sign_in",
  path: "/api/auth/device",
  credential: "none",
  showsSecret: true,
  summary: "Start a sign-in that a person confirms in the console",
  description: "For programs without a browser, by the rules of RFC 8628.",
  body: z
    .object({ name: Name.optional().describe("What the person is shown, such as the program and its machine.") })
    .meta({ id: "DeviceSignInStart" }),
  response: DeviceCodes,
  errors: [],
});

export const finishDeviceSignIn = endpoint({
  ...common,
  operationId: "finish_device_sign_in",
  path: "/api/auth/device/token",
  credential: "none",
  endsSessions: true,
  summary: "Get the session of a confirmed sign-in: sets the cookie `session_id`",
  description:
    "To be repeated every `interval` seconds until the person has decided. A sign-in also expires if the session that confirmed it ends before.",
  body: z.object({ device_code: z.string().max(200) }).meta({ id: "DeviceCode" }),
  response: User,
  errors: [
    "authorization_pending",
    "slow_down",
    "expired_token",
    "access_denied",
    "account_disabled",
    "write_conflict",
  ],
});

const ofPerson = { ...common, credential: "session", body: UserCodeGiven } as const;

export const showDeviceSignIn = endpoint({
  ...ofPerson,
  operationId: "show_device_sign_in",
  path: "/api/auth/device/show",
  summary: "Show who asks to sign in with a code",
  description: "Wrong codes are throttled like wrong passwords; the same for the confirmation.",
  response: DeviceSignIn,
  errors: ["not_found", "login_throttled"],
});

export const confirmDeviceSignIn = endpoint({
  ...ofPerson,
  operationId: "confirm_device_sign_in",
  path: "/api/auth/device/confirm",
  summary: "Let the program that shows a code sign in as the caller",
  description: "The program gets a session of its own with the rights of the caller.",
  response: Nothing,
  errors: ["not_found", "login_throttled", "confirmation_required", "session_expired"],
});

export const refuseDeviceSignIn = endpoint({
  ...ofPerson,
  operationId: "refuse_device_sign_in",
  path: "/api/auth/device/refuse",
  summary: "Refuse a sign-in with a code",
  description: "The program is told so, and its code cannot be used any more.",
  response: Nothing,
  errors: ["not_found", "login_throttled"],
});
