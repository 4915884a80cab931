import type { DeviceCodes } from "@nts/shared/contract";
import { bodyTypesOf } from "@nts/shared/contract/upload";
import { requireDeclared } from "./declared.js";
import { textOf } from "./event-stream.js";
import { untilServed } from "./until.js";

/** A response, with its body both as text and as JSON (undefined when it is not JSON). */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Envelope;
}

/** The members of both envelopes; which are present depends on `success`. */
export interface Envelope {
  readonly success: boolean;
  readonly data: never;
  readonly code: string;
  readonly error: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly meta: {
    readonly request_id: string;
    readonly pagination: { total_count: number; limit: number; offset: number; has_more: boolean };
  };
}

/** A client that sends requests through a gateway. */
export interface Caller {
  readonly name: string;
  /** @param headers with the content type of a text body that is not JSON */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiResponse>;
  /** The data of a request that must succeed. @throws Error with the whole response otherwise */
  data<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/**
 * A caller that sends these headers with each request; a session cookie is replaced when a response sets another one.
 */
export function callerOf(baseUrl: string, name: string, headers: Readonly<Record<string, string>> = {}): Caller {
  const own: Record<string, string> = { ...headers };
  const send: Caller["send"] = async (method, path, body, headers = {}) => {
    const response = await fetch(baseUrl + path, {
      method: method.toUpperCase(),
      headers: { ...own, ...(body === undefined ? {} : { "content-type": jsonTypeFor(method) }), ...headers },
      body: body === undefined ? null : "content-type" in headers ? String(body) : JSON.stringify(body),
    });
    const { status, headers: received } = response;
    const text = await textOf(response);
    const answer = parsed(text) as Envelope;
    const { code = "" } = (answer as Partial<Envelope> | null) ?? {};
    requireDeclared(method, path, { status, headers: received.keys(), code: status < 400 ? "" : code });
    if (own["cookie"] !== undefined && cookieOf(received).length > "session_id=".length)
      own["cookie"] = cookieOf(received);
    return { status, headers: received, text, body: answer };
  };
  return {
    name,
    send,
    data: async (method, path, body) => {
      const { status, body: envelope, text } = await send(method, path, body);
      if (status !== 200) throw new Error(`${name}: ${method} ${path} answered ${status}: ${text}`);
      return envelope.data;
    },
  };
}

function jsonTypeFor(method: string): string {
  return bodyTypesOf({ method: method.toLowerCase() })[0];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface Account {
  readonly userId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly password: string;
  readonly session: Caller;
  /** The cookie of the session, as a header. */
  readonly cookie: string;
}

let accounts = 0;

/** Registers a new organization with its owner. */
export function anAccount(baseUrl: string, name = "owner"): Promise<Account> {
  return registered(baseUrl, name, {});
}

/** Registers a user in the organization of an account, by an invite of that account. */
export async function aColleague(
  baseUrl: string,
  { session }: Account,
  invite: Record<string, unknown> = {},
): Promise<Account> {
  const body = { permissions: "Member", ...invite };
  const { token } = await session.data<{ token: string }>("post", "/api/v1/invites", body);
  return registered(baseUrl, `colleague ${JSON.stringify(body)}`, { invite_token: token });
}

/** An account that joins the organization of another Owner as Admin, in a session that acts there. */
export async function aGuest(
  baseUrl: string,
  account: Account,
  { session, organizationId }: Account,
): Promise<Account> {
  const { token } = await session.data<{ token: string }>("post", "/api/v1/invites", { permissions: "Admin" });
  await account.session.data("post", "/api/v1/invites/accept", { token });
  const moved = await account.session.send("post", "/api/auth/organization", { organization_id: organizationId });
  const cookie = cookieOf(moved.headers);
  return { ...account, organizationId, cookie, session: callerOf(baseUrl, "guest", { cookie }) };
}

async function registered(baseUrl: string, name: string, more: object): Promise<Account> {
  const password = "correct horse battery staple";
  let email = "";
  // Loading the password dictionaries on first use may exceed the time limit of a request on a busy machine.
  const response = await untilServed(() => {
    email = `user-${++accounts}-${process.pid}-${Date.now()}@example.com`;
    const body = { email, password, ...more };
    return callerOf(baseUrl, "nobody").send("post", "/api/auth/register", body);
  });
  if (response.status !== 200) throw new Error(`register answered ${response.status}: ${response.text}`);
  const cookie = cookieOf(response.headers);
  const user = response.body.data as { id: string; organization_id: string };
  const session = callerOf(baseUrl, `${name} (session)`, { cookie });
  return { userId: user.id, organizationId: user.organization_id, email, password, session, cookie };
}

/** Signs in once more. @returns the cookie and the id of the new session */
export async function anotherSession(
  baseUrl: string,
  { email, password }: Account,
): Promise<{ cookie: string; id: string }> {
  const { headers } = await callerOf(baseUrl, "nobody").send("post", "/api/auth/login", { email, password });
  const cookie = cookieOf(headers);
  const caller = callerOf(baseUrl, "another session", { cookie });
  const { credential_id: id } = await caller.data<{ credential_id: string }>("get", "/api/v1/auth/whoami");
  return { cookie, id };
}

/** The session of a program that was signed in by a code. */
export async function aProgramOf(baseUrl: string, { session }: Account): Promise<{ cookie: string; id: string }> {
  const program = callerOf(baseUrl, "a program");
  const { device_code, user_code } = await program.data<DeviceCodes>("post", "/api/auth/device", {});
  await session.data("post", "/api/auth/device/confirm", { user_code });
  const { headers } = await program.send("post", "/api/auth/device/token", { device_code });
  const cookie = cookieOf(headers);
  const caller = callerOf(baseUrl, "a program", { cookie });
  const { credential_id: id } = await caller.data<{ credential_id: string }>("get", "/api/v1/auth/whoami");
  return { cookie, id };
}

/** The cookie that a response sets, as a request sends it. */
export function cookieOf(headers: Headers): string {
  return (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
}

export interface CreatedKey {
  readonly id: string;
  readonly secret: string;
  readonly caller: Caller;
}

/** Creates an API key of an account. @param options members of the body beyond the required ones */
export async function aKey(
  baseUrl: string,
  account: Account,
  options: Record<string, unknown> = {},
): Promise<CreatedKey> {
  const { userId: user_id, organizationId: organization_id, session } = account;
  const body = { name: "a key", organization_id, user_id, tags: [], permissions: "Owner", ...options };
  const made = await session.data<{ key: string; api_key: { id: string } }>("post", "/api/v1/auth/keys", body);
  const name = `key ${JSON.stringify(options)}`;
  return {
    id: made.api_key.id,
    secret: made.key,
    caller: callerOf(baseUrl, name, { authorization: `Bearer ${made.key}` }),
  };
}
