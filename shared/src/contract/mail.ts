import { z } from "zod";
import { Nothing } from "./common.js";
import { endpoint } from "./endpoint.js";
import { Password, PersonalEmail, User } from "./users.js";

// Operations that send mail, and those for its links. @see docs/mail.md

/** The secret of a mailed link. Any short text, so that malformed, wrong and used tokens get the same response. */
const LinkToken = z.string().trim().min(1).max(200).describe("The part of the mailed link after `#token=`.");

const common = { upstream: "identity", permission: null, tag: "Authentication", method: "post" } as const;

export const requestPasswordReset = endpoint({
  ...common,
  operationId: "request_password_reset",
  path: "/api/auth/password/forgot",
  credential: "none",
  summary: "Request an email with a link to reset a forgotten password",
  description:
    "The response is the same whether or not there is an account with this address. The link is valid for one hour.",
  body: z.object({ email: PersonalEmail }).meta({ id: "PasswordResetRequest" }),
  response: Nothing,
  errors: ["mail_not_configured", "mail_throttled", "write_conflict"],
});

const ofSession = { ...common, credential: "session" } as const;

export const sendVerification = endpoint({
  ...ofSession,
  operationId: "send_verification",
  path: "/api/auth/email/verification",
  summary: "Have a link mailed that verifies the caller's email address",
  description:
    "New accounts get one without asking. The link is valid for three days. Without effect once the address is verified.",
  response: Nothing,
  errors: ["session_expired", "mail_not_configured", "mail_throttled", "write_conflict"],
});

export const verifyEmail = endpoint({
  ...ofSession,
  operationId: "verify_email",
  path: "/api/auth/email/verify",
  summary: "Verify the caller's email address",
  description:
    "Needs a session of the account, so that nobody verifies an address for somebody else who has registered it.",
  body: z.object({ token: LinkToken }).meta({ id: "EmailVerification" }),
  response: User,
  errors: ["session_expired", "link_expired", "write_conflict"],
});

export const resetPassword = endpoint({
  ...common,
  operationId: "reset_password",
  endsAccess: true,
  path: "/api/auth/password/reset",
  credential: "none",
  summary: "Reset a forgotten password, and end all sessions of the user",
  description:
    "The token is valid once. It proves the address: if that was not verified before, the API keys, invites, second factor and " +
    "linked providers of the account are removed, too.",
  body: z.object({ token: LinkToken, new_password: Password }).meta({ id: "PasswordReset" }),
  response: Nothing,
  errors: ["link_expired", "password_login_disabled", "write_conflict"],
});
