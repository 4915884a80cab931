import { z } from "zod";
import { Id, Name, Nothing, PermissionLevel, serverFields, verbatimText } from "./common.js";
import { endpoint } from "./endpoint.js";

/** A person of an organization. `network_ids` are the networks the person may use now. */
export const User = z
  .object({
    ...serverFields,
    email: z.string(),
    organization_id: Id,
    permissions: PermissionLevel,
    network_ids: z.array(Id),
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;

/** Compared and stored in lower case. */
const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email({ error: "must be an email address" }))
  .meta({ examples: ["ada@example.com"] });

const Password = verbatimText(10, 128).meta({ format: "password" });

export const Registration = z
  .object({ email: Email, password: Password, organization_name: Name.optional() })
  .meta({ id: "Registration" });

/** Any text is taken as password, so that a wrong one is told from an unknown user by nothing. */
export const Login = z
  .object({ email: z.string().trim().toLowerCase().max(254), password: z.string().max(1024) })
  .meta({ id: "Login" });

const common = { upstream: "identity", permission: null, tag: "Authentication" } as const;

export const register = endpoint({
  ...common,
  operationId: "register",
  method: "post",
  path: "/api/auth/register",
  credential: "none",
  summary: "Create an account with an organization of its own, and a session",
  body: Registration,
  response: User,
  errors: ["already_exists", "registration_closed"],
});

export const login = endpoint({
  ...common,
  operationId: "login",
  method: "post",
  path: "/api/auth/login",
  credential: "none",
  summary: "Start a session: sets the cookie `session_id`",
  body: Login,
  response: User,
  errors: ["invalid_credentials"],
});

export const logout = endpoint({
  ...common,
  operationId: "logout",
  method: "post",
  path: "/api/auth/logout",
  credential: "optional",
  summary: "End the session, if there is one",
  response: Nothing,
  errors: [],
});

export const getCurrentUser = endpoint({
  ...common,
  operationId: "get_current_user",
  method: "get",
  path: "/api/auth/me",
  credential: "session",
  summary: "The user of the session",
  response: User,
  errors: [],
});

export const postCurrentUser = endpoint({
  ...getCurrentUser,
  operationId: "get_current_user_by_post",
  method: "post",
  summary: "The user of the session, for clients that cannot send GET",
});
