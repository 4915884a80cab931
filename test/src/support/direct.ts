/** Calls services directly like the gateway: with a signed tenancy header, and responses without an envelope. */
import { randomBytes } from "node:crypto";
import type { BodyInputOf, DataOf, Endpoint, ParamsOf, QueryInputOf } from "@nts/shared/contract/endpoint";
import { createKey, type UserApiKey, type UserApiKeyInput } from "@nts/shared/contract/keys";
import { verifyCredential, type Verification, type VerifiedPrincipal } from "@nts/shared/contract/internal";
import { requestTarget } from "@nts/client/request-target";
import { bodyTypesOf } from "@nts/shared/contract/upload";
import { createInvite, type InviteCreate } from "@nts/shared/contract/invites";
import { login, register, type User } from "@nts/shared/contract/users";
import { hashCredential } from "@nts/shared/credential";
import { INTERNAL } from "@nts/shared/http/headers";
import { createTenancySigner, type Principal, type UserPrincipal } from "@nts/shared/http/tenancy";
import { requireDeclared } from "./declared.js";
import type { Stack } from "./stack.js";
import { untilServed } from "./until.js";

export interface DirectResponse<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a success. */
  readonly data: Data;
  /** The beginning of `meta` from the service. */
  readonly meta: Readonly<Record<string, string | null>>;
  /** Of a failure. */
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface DirectRequest<E> {
  /** On whose behalf; anonymous when absent. */
  readonly as?: Principal;
  /** The called replica of the service; the first one when absent. */
  readonly replica?: number;
  readonly params?: ParamsOf<E>;
  readonly query?: QueryInputOf<E>;
  readonly body?: BodyInputOf<E>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user with a session. */
export interface Person {
  readonly principal: UserPrincipal;
  readonly userId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly password: string;
  /** The value of the session cookie. */
  readonly token: string;
}

/** A new API key. */
export interface DirectKey {
  readonly id: string;
  /** The key as parameter of a path. */
  readonly params: { readonly id: string };
  /** The record as returned by the creation. */
  readonly record: UserApiKey;
  readonly secret: string;
}

export interface Direct {
  send<E extends Endpoint>(operation: E, request: DirectRequest<E>): Promise<DirectResponse<DataOf<E>>>;
  /** The data of a request that must succeed. @throws Error with the whole response otherwise */
  data<E extends Endpoint>(operation: E, request: DirectRequest<E>): Promise<DataOf<E>>;
  /** Verifies a credential at identity. @param secret an API key, or the value of a session cookie */
  verify(kind: "key" | "session", secret: string, replica?: number): Promise<Verification>;
  /** Registers a new organization with its owner. */
  aPerson(): Promise<Person>;
  /** Registers a user in the organization of a person, by an invite of that person. */
  aColleague(person: Person, invite: Partial<InviteCreate>): Promise<Person>;
  /** A new session of a person. */
  logIn(person: Pick<Person, "email" | "password">): Promise<Person>;
  /** Creates an API key of a person. @param more members beyond the required ones */
  aKey(person: Person, more?: Partial<UserApiKeyInput>): Promise<DirectKey>;
}

const PROCESS = { kind: "process" } as const;
// Suites that share a system need distinct email addresses; a short suffix is still recognized in a password.
const suite = randomBytes(4).toString("hex");
let people = 0;

/** The called replicas, and the secrets that they trust. */
export interface DirectTarget {
  readonly tenancySecrets: Stack["tenancySecrets"];
  readonly identities: readonly { readonly url: string }[];
  readonly topologies: readonly { readonly url: string }[];
}

function createSend(stack: DirectTarget): Direct["send"] {
  const { gatewayToIdentity, gatewayToTopology, identityToTopology } = stack.tenancySecrets;
  const signFor = createTenancySigner(gatewayToTopology, "topology");
  const signQuestion = createTenancySigner(identityToTopology, "topology");
  const services = {
    identity: { replicas: stack.identities, sign: createTenancySigner(gatewayToIdentity, "identity") },
    topology: {
      replicas: stack.topologies,
      sign: (as: Principal) => (as.kind === "process" ? signQuestion : signFor)(as),
    },
  };

  return async (operation, request) => {
    if (operation.upstream === "gateway") throw new Error("the gateway is called through its public URL");
    const { replicas, sign } = services[operation.upstream];
    const { as = { kind: "anonymous" }, replica = 0, body } = request;
    const target = requestTarget(operation.path, request);
    const response = await fetch((replicas[replica]?.url ?? "") + target, {
      method: operation.method.toUpperCase(),
      headers: {
        "x-tenancy": sign(as),
        ...(body === undefined ? {} : { "content-type": bodyTypesOf(operation)[0] }),
        ...request.headers,
      },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      // Redirects are returned, not followed.
      redirect: "manual",
    });
    const text = await response.text();
    // The gateway completes `meta`.
    const isOpen = response.headers.get(INTERNAL.meta) === "open";
    const whole = (isOpen ? JSON.parse(`{"data":${text}}}`) : {}) as {
      data?: unknown;
      meta?: DirectResponse<unknown>["meta"];
    };
    const json: unknown = isOpen ? whole.data : text === "" ? undefined : JSON.parse(text);
    const { code = "", params = {} } = response.status < 400 ? {} : (json as { code: string; params: object });
    requireDeclared(operation.method, target, { status: response.status, headers: response.headers.keys(), code });
    return {
      status: response.status,
      headers: response.headers,
      text,
      data: json as never,
      meta: whole.meta ?? {},
      code,
      params: { ...params },
    };
  };
}

export function createDirect(stack: DirectTarget): Direct {
  const send = createSend(stack);

  const data: Direct["data"] = async (operation, request) => {
    const { status, text, data } = await send(operation, request);
    if (status !== 200) throw new Error(`${operation.operationId} answered ${status}: ${text}`);
    return data;
  };

  const verify: Direct["verify"] = (kind, secret, replica = 0) =>
    data(verifyCredential, { as: PROCESS, replica, body: { kind, hash: hashCredential(secret) } });

  async function personFrom(given: DirectResponse<User>, email: string, password: string): Promise<Person> {
    if (given.status !== 200) throw new Error(`no session: ${given.text}`);
    const token = tokenOf(given.headers);
    const verified = await verify("session", token);
    if (verified.status !== "valid") throw new Error(`a new session is refused: ${verified.code}`);
    const principal = sessionOf(verified.principal);
    const { userId, scope } = principal;
    return { principal, userId, organizationId: scope.organizationId, email, password, token };
  }

  async function registered(more: { invite_token?: string }): Promise<Person> {
    const password = "correct horse battery staple";
    let email = "";
    // Loading the password dictionaries on first use may exceed the time limit of a request on a busy machine.
    const response = await untilServed(() => {
      email = `person-${++people}-${suite}@example.com`;
      return send(register, { body: { email, password, ...more } });
    });
    return personFrom(response, email, password);
  }

  return {
    send,
    data,
    verify,
    aPerson: () => registered({}),
    aColleague: async (person, invite) => {
      const body = { permissions: "Member", ...invite } as const;
      const { token } = await data(createInvite, { as: person.principal, body });
      return registered({ invite_token: token });
    },
    logIn: async ({ email, password }) => personFrom(await send(login, { body: { email, password } }), email, password),
    aKey: async (person, more) => {
      const { api_key, key } = await data(createKey, { as: person.principal, body: keyBodyOf(person, more) });
      return { id: api_key.id, params: { id: api_key.id }, record: api_key, secret: key };
    },
  };
}

/** The session principal that the gateway sends to services. */
export function sessionOf(verified: VerifiedPrincipal): UserPrincipal {
  const {
    credential_id: credentialId,
    organization_id: organizationId,
    user_id: userId,
    permission,
    networks,
    is_unverified,
  } = verified;
  const scope = { organizationId, networks, ...(is_unverified && { isUnverified: true as const }) };
  return { kind: "session", credentialId, userId, permission, scope };
}

/** A key of this person with the required members, and more. */
export function keyBodyOf(
  { userId, organizationId }: Pick<Person, "userId" | "organizationId">,
  more: Partial<UserApiKeyInput> = {},
): UserApiKeyInput {
  return { name: "Key", organization_id: organizationId, user_id: userId, tags: [], ...more };
}

/** The value of the session cookie that a response sets. */
export function tokenOf(headers: Headers): string {
  return /^session_id=([^;]*)/.exec(headers.getSetCookie()[0] ?? "")?.[1] ?? "";
}
