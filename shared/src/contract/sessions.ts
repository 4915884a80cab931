import { z } from "zod";
import { byId, filters, Id, listQuery, Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

/** A user's session in one browser. The id is not a secret; only the cookie contains the token. */
export const Session = z
  .object({
    id: Id,
    created_at: Timestamp,
    last_used: Timestamp.describe("Updated at most every ten minutes."),
    expires_at: Timestamp.describe("Extended by use."),
    browser: z
      .string()
      .nullable()
      .describe("From its User-Agent, such as `Firefox 131 on Linux`; null if it sent none."),
    address: z.string().nullable().describe("IP address at sign-in; null if unknown."),
    provider: z.string().nullable().describe("Id of the identity provider used to sign in; null for a password."),
    device: z.boolean().describe("Whether a program was signed in by a code entered in the console."),
    organization_id: Id.describe("The organization that it acts in."),
    current: z.boolean().describe("True for the session of this request."),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

const common = { upstream: "identity", credential: "session", permission: "Viewer", tag: "Authentication" } as const;

export const listSessions = endpoint({
  ...common,
  operationId: "list_sessions",
  method: "get",
  path: "/api/v1/auth/sessions",
  summary: "List the caller's own sessions",
  query: listQuery(["created_at"], {
    network_id: filters.network_id.describe("Has no effect: a session has access to all networks of its user."),
  }),
  response: Session,
  list: true,
  errors: [],
});

export const deleteSession = endpoint({
  ...common,
  operationId: "delete_session",
  method: "delete",
  path: "/api/v1/auth/sessions/{id}",
  summary: "End one of the caller's own sessions, effective on every gateway at once",
  params: byId,
  response: Nothing,
  errors: ["not_found", "write_conflict"],
});

export const revokeOtherSessions = endpoint({
  ...common,
  operationId: "revoke_other_sessions",
  method: "post",
  path: "/api/v1/auth/sessions/revoke-others",
  summary: "End all of the caller's other sessions",
  response: z.object({ ended_count: z.int() }).meta({ id: "EndedSessions" }),
  errors: ["write_conflict"],
});
