/** Assistants that are let in by OAuth, without a library. */
import { createHash, randomBytes } from "node:crypto";
import type { UserApiKey } from "@nts/shared/contract";
import type { Account, Caller } from "./api.js";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

export const REDIRECT = "http://127.0.0.1/callback";

/** Sends a form, as assistants do. */
export async function sendForm(
  url: string,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return answerOf(await fetch(url + path, { method: "POST", body: new URLSearchParams(form), headers }));
}

/** Registers an assistant. */
export async function register(
  url: string,
  metadata: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const type = { "content-type": "application/json", ...headers };
  return answerOf(
    await fetch(`${url}/oauth/register`, { method: "POST", body: JSON.stringify(metadata), headers: type }),
  );
}

async function answerOf(response: Response): Promise<Answer> {
  const body = (await response.json()) as Answer["body"];
  return { status: response.status, headers: response.headers, body };
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

export function aPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** The request with which an assistant sends a browser. */
export function requestOf(clientId: string, { challenge }: Pick<Pkce, "challenge">): Record<string, string> {
  return {
    ...{ response_type: "code", client_id: clientId, redirect_uri: REDIRECT, state: "a state" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  };
}

export interface Consent {
  readonly permissions?: string;
  readonly network_ids?: readonly string[] | null;
}

/** A person allows it. @returns the parameters of the redirect */
export async function allowed(
  person: Caller,
  request: object,
  { permissions = "Viewer", network_ids = null }: Consent = {},
): Promise<URLSearchParams> {
  const body = { request, permissions, network_ids };
  const { redirect_to } = await person.data<{ redirect_to: string }>("post", "/api/auth/oauth/allow", body);
  return new URL(redirect_to).searchParams;
}

/** The same. @returns the code */
export async function codeFrom(person: Caller, request: object, consent?: Consent): Promise<string> {
  return (await allowed(person, request, consent)).get("code") ?? "";
}

export interface LetIn {
  readonly clientId: string;
  readonly access: string;
  readonly refresh: string;
  readonly key: UserApiKey;
}

/** Registers an assistant, which a person lets in. */
export async function letIn(url: string, { session }: Pick<Account, "session">, consent: Consent = {}): Promise<LetIn> {
  const { body } = await register(url, { client_name: "Helper", redirect_uris: [REDIRECT] });
  const clientId = String(body["client_id"]);
  const pkce = aPkce();
  const code = await codeFrom(session, requestOf(clientId, pkce), consent);
  const issued = await exchange(url, { clientId, code, verifier: pkce.verifier });
  if (issued.status !== 200) throw new Error(`the token answered ${issued.status}: ${JSON.stringify(issued.body)}`);
  const keys = await session.data<UserApiKey[]>(
    "get",
    "/api/v1/auth/keys?of_assistants=true&order_by=created_at&order_direction=desc",
  );
  const { access_token, refresh_token } = issued.body;
  return { clientId, access: String(access_token), refresh: String(refresh_token), key: keys[0]! };
}

export function exchange(
  url: string,
  { clientId, code, verifier }: { readonly clientId: string; readonly code: string; readonly verifier: string },
): Promise<Answer> {
  return sendForm(url, "/oauth/token", {
    ...{ grant_type: "authorization_code", client_id: clientId, code, code_verifier: verifier, redirect_uri: REDIRECT },
  });
}

export function refreshed(url: string, { clientId, refresh }: Pick<LetIn, "clientId" | "refresh">): Promise<Answer> {
  return sendForm(url, "/oauth/token", { grant_type: "refresh_token", client_id: clientId, refresh_token: refresh });
}
