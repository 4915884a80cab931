import { PERMISSIONS, type Permission } from "@nts/shared/contract/endpoint";
import type { AuthorizationRequest } from "@nts/shared/contract/assistants";
import type { AssistantMetadata, OAuthRefusal } from "@nts/shared/contract/internal";

// What assistants may request: the authorization code grant of OAuth 2.1 for public clients, with PKCE.

/** An assistant that has registered itself; nobody has verified anything of it. */
export interface AssistantClient {
  readonly _id: string;
  readonly name: string;
  readonly redirect_uris: readonly string[];
  readonly created_at: Date;
}

export const MOST_REDIRECTS = 10;
const LONGEST_URI = 500;
const LONGEST_NAME = 100;
const UNNAMED = "An assistant without a name";

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];
/** Of RFC 7636, for the only method here. */
const CHALLENGE = /^[\w-]{43}$/;

/** What may be registered. @returns the refusal of a wrong one */
export function registrationOf(
  given: AssistantMetadata,
): Pick<AssistantClient, "name" | "redirect_uris"> | OAuthRefusal {
  const { client_name = "", redirect_uris, grant_types, response_types } = given;
  if (redirect_uris.length === 0 || redirect_uris.length > MOST_REDIRECTS)
    return refusal("invalid_redirect_uri", `1 to ${MOST_REDIRECTS} redirect_uris are needed`);
  const wrong = redirect_uris.find((uri) => !isRedirectUri(uri));
  if (wrong !== undefined)
    return refusal(
      "invalid_redirect_uri",
      `${wrong.slice(0, 100)} is neither https nor http at 127.0.0.1, [::1] or localhost, or has a fragment or a user name`,
    );
  if (grant_types?.includes("authorization_code") === false)
    return refusal("invalid_client_metadata", "grant_types must contain authorization_code");
  if (response_types?.includes("code") === false)
    return refusal("invalid_client_metadata", "response_types must contain code");
  return { name: nameOf(client_name), redirect_uris: [...new Set(redirect_uris)] };
}

/** A name in one line: it is shown to people who decide. */
function nameOf(given: string): string {
  const visible = given.replaceAll(/[\p{C}\p{Z}\s]+/gu, " ").trim();
  return visible === "" ? UNNAMED : visible.slice(0, LONGEST_NAME);
}

export function refusal(error: OAuthRefusal["error"], description: string): OAuthRefusal {
  return { status: "refused", error, description };
}

function isRedirectUri(text: string): boolean {
  if (text.length > LONGEST_URI || !URL.canParse(text)) return false;
  const { protocol, username, password, hash: fragment } = new URL(text);
  if (username !== "" || password !== "" || fragment !== "" || text.includes("#")) return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(text));
}

/** True for a URI of the machine of the browser. */
export function isLoopback(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === "http:" && LOOPBACK.includes(hostname);
}

/** Where to send the browser: a registered URI, exactly, but for the port of loopback. Null for any other. */
export function redirectOf(client: AssistantClient, given: string | undefined): string | null {
  const [only, another] = client.redirect_uris;
  if (given === undefined) return another === undefined ? (only ?? null) : null;
  if (client.redirect_uris.includes(given)) return given;
  if (!isRedirectUri(given) || !isLoopback(given)) return null;
  return client.redirect_uris.some((uri) => isLoopback(uri) && withoutPort(uri) === withoutPort(given)) ? given : null;
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = "";
  return url.href;
}

/** What is wrong with a request whose redirect is good. @param resource URLs of this server, as tokens are for */
export function requestFault(
  request: AuthorizationRequest,
  resources: readonly string[],
): { readonly error: string; readonly description: string } | null {
  const { response_type, code_challenge, code_challenge_method, resource } = request;
  if (response_type !== "code")
    return { error: "unsupported_response_type", description: "response_type must be code" };
  if (code_challenge === undefined || !CHALLENGE.test(code_challenge))
    return { error: "invalid_request", description: "code_challenge is needed, as RFC 7636 defines it for S256" };
  if (code_challenge_method !== "S256")
    return { error: "invalid_request", description: "code_challenge_method must be S256" };
  if (!isOwn(resource, resources)) return { error: "invalid_target", description: `resource must be ${resources[0]}` };
  return null;
}

/** Whether tokens for a resource are tokens for this server. Absent, it is meant. */
export function isOwn(resource: string | undefined, resources: readonly string[]): boolean {
  return resource === undefined || resources.includes(resource.replace(/\/+$/, ""));
}

/** The level that a request names in `scope`; null if it names none. */
export function levelIn(scope: string | undefined): Permission | null {
  const words = (scope ?? "").split(" ");
  return PERMISSIONS.find((level) => words.includes(scopeOf(level))) ?? null;
}

/** A level as scope. */
export function scopeOf(level: Permission): string {
  return level.toLowerCase();
}

/** The redirect with the outcome. @param issuer see RFC 9207 */
export function withOutcome(
  redirect: string,
  outcome: Readonly<Record<string, string>>,
  { state, issuer }: { readonly state: string | undefined; readonly issuer: string },
): string {
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set("state", state);
  url.searchParams.set("iss", issuer);
  return url.href;
}
