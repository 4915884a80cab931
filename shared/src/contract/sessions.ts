import { z } from "zod";
import { byId, filters, Id, listQuery, Nothing, Timestamp } from "./common.js";
import { endpoint } from "./endpoint.js";

/** A user's sign-in in one browser. Its id is no secret: the token is in the cookie alone. */
export const Session = z
  .object({
    id: Id,
    created_at: Timestamp,
    last_used: Timestamp.describe("At most ten minutes behind."),
    expires_at: Timestamp.describe("Unless it is used until then."),
    browser: z
      .string()
      .nullable()
      .describe("As it calls itself, such as `Firefox 131 on Linux`; null when it does not."),
    address: z.string().nullable().describe("Of the client that signed in; null when an earlier version noted none."),
    provider: z.string().nullable().describe("The id of the provider by whom it began; null with a password."),
    current: z.boolean().describe("The session of this request."),
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
    network_id: filters.network_id.describe("Has no effect: a session reaches all networks of its user."),
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
  summary: "End one of the caller's own sessions; no gateway accepts it when the answer arrives",
  params: byId,
  response: Nothing,
  errors: ["not_found", "write_conflict"],
});

export const revokeOtherSessions = endpoint({
  ...common,
  operationId: "revoke_other_sessions",
  method: "post",
  path: "/api/v1/auth/sessions/revoke-others",
  summary: "End all of the caller's sessions but that of the request",
  response: z.object({ ended_count: z.int() }).meta({ id: "EndedSessions" }),
  errors: ["write_conflict"],
});
