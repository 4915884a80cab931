/**
 * A real HTTP server in place of identity and topology for gateways under test. It verifies the credentials of the
 * test, numbers revocations, and responds to forwarded requests as the test says.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { createApiKey } from "@nts/shared/api-key";
import { hashCredential } from "@nts/shared/credential";
import type { VerifiedPrincipal } from "@nts/shared/contract/internal";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { PROBE_PATH } from "@nts/shared/http/probe";

/** A forwarded request, as it arrived. */
export interface ForwardedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A credential whose secret only the test knows. */
export interface StubCredential {
  readonly secret: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface ServiceStub {
  readonly url: string;
  readonly forwarded: ForwardedRequest[];
  /** The number of credential lookups. */
  verifications(): number;
  /** Ids of keys that were reported as used. */
  readonly usedKeys: string[];
  /** Paths of the requests that a silent identity left unanswered. */
  readonly unanswered: string[];
  /** Sets the response to forwarded requests; `{}` with 200 by default. */
  respondWith(handler: RequestHandler): void;
  /** Responds to the head of forwarded requests, without waiting for the body; undone by {@link respondWith}. */
  respondToHeadsWith(handler: RequestHandler): void;
  aKey(rights?: Partial<VerifiedPrincipal>): StubCredential;
  aSession(rights?: Partial<VerifiedPrincipal>): StubCredential;
  /** Revokes a credential like identity. @returns the number of the change */
  revoke(credential: StubCredential): number;
  /** `performance.now()` when a gateway deregistered; null before. */
  deregisteredAt(): number | null;
  /** The number that the last poll acknowledged. */
  applied(): number;
  /** Sets the number of live gateways that identity reports. */
  setLiveGateways(count: number): void;
  /** Whether identity responds, resets every connection, or leaves requests unanswered. */
  setIdentity(state: "there" | "broken" | "silent"): void;
  /** Whether every request is left unanswered, as by a suspended process, also later. */
  setHanging(does: boolean): void;
  /** Resets all connections. */
  dropConnections(): void;
  stop(): Promise<void>;
}

/** The configuration by the test, and what was received. */
interface State {
  readonly principals: Map<string, VerifiedPrincipal>;
  readonly changes: { number: number; subjects: string[] }[];
  readonly forwarded: ForwardedRequest[];
  readonly usedKeys: string[];
  readonly unanswered: string[];
  liveGateways: number;
  verifications: number;
  applied: number;
  isHanging: boolean;
  respondsToHeads: boolean;
  deregisteredAt: number | null;
  identity: "there" | "broken" | "silent";
  handler: RequestHandler;
}

function newState(liveGateways: number): State {
  return {
    ...{ principals: new Map(), changes: [], forwarded: [], usedKeys: [], unanswered: [], liveGateways },
    ...{
      verifications: 0,
      applied: 0,
      isHanging: false,
      respondsToHeads: false,
      deregisteredAt: null,
      identity: "there",
    },
    handler: (_request, response) => {
      sendJson(response, {});
    },
  };
}

/** Identity's responses to internal requests. */
function internalResponse(state: State, path: string, query: URLSearchParams, body: string): unknown {
  const { changes, principals, usedKeys } = state;
  switch (path) {
    case "/internal/key-changes":
      state.applied = Number(query.get("after"));
      if (query.get("leaving") === "true") state.deregisteredAt = performance.now();
      return {
        changes: changes.filter(({ number }) => number > state.applied),
        highest: changes.length,
        reset: false,
        live_gateways: state.liveGateways,
      };
    case "/internal/key-uses":
      usedKeys.push(...(JSON.parse(body) as { uses: { key_id: string }[] }).uses.map(({ key_id }) => key_id));
      return null;
    default: {
      state.verifications++;
      const principal = principals.get((JSON.parse(body) as { hash: string }).hash);
      const number = changes.length;
      return principal === undefined
        ? { status: "refused", number, code: "api_key_invalid", subjects: [] }
        : { status: "valid", number, principal, expires_in_ms: null };
    }
  }
}

function serve(state: State, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://stub");
  if (state.isHanging) return;
  const internal = pathname.startsWith("/internal/");
  if (internal && state.identity !== "there") {
    if (state.identity === "broken") request.socket.destroy();
    else state.unanswered.push(pathname);
    return;
  }
  if (pathname === PROBE_PATH) {
    response.end();
    return;
  }
  const respond = (body: string): void => {
    if (internal) {
      sendJson(response, internalResponse(state, pathname, searchParams, body));
      return;
    }
    const { method = "", url = "", headers, rawHeaders } = request;
    state.forwarded.push({ method, url, headers, rawHeaders, body });
    state.handler(request, response);
  };
  if (state.respondsToHeads && !internal) {
    respond("");
    return;
  }
  // An aborted request gets no response.
  readAll(request).then(respond, () => undefined);
}

/** Creates a credential that identity knows. */
function createCredential(
  { principals }: State,
  kind: "key" | "session",
  secret: string,
  rights: Partial<VerifiedPrincipal>,
): StubCredential {
  const principal: VerifiedPrincipal = {
    kind,
    credential_id: randomUUID(),
    organization_id: randomUUID(),
    user_id: randomUUID(),
    email: "ada@example.com",
    permission: "Owner",
    networks: "all",
    ...rights,
  };
  principals.set(hashCredential(secret), principal);
  const headers: Record<string, string> =
    kind === "key" ? { authorization: `Bearer ${secret}` } : { cookie: `session_id=${secret}` };
  return { secret, headers, userId: principal.user_id, credentialId: principal.credential_id };
}

export async function startServiceStub(liveGateways = 1): Promise<ServiceStub> {
  const state = newState(liveGateways);
  const { principals, changes, forwarded, usedKeys, unanswered } = state;
  const limits = { keepAliveTimeout: 65_000, maxHeaderSize: INTERNAL_HEADER_LIMIT_BYTES };
  const server = createServer(limits, (request, response) => {
    serve(state, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ forwarded, usedKeys, unanswered },
    verifications: () => state.verifications,
    respondWith: (next) => {
      Object.assign(state, { handler: next, respondsToHeads: false });
    },
    respondToHeadsWith: (next) => {
      Object.assign(state, { handler: next, respondsToHeads: true });
    },
    aKey: (rights = {}) => createCredential(state, "key", createApiKey().secret, rights),
    aSession: (rights = {}) =>
      createCredential(state, "session", randomUUID().replaceAll("-", "").padEnd(43, "x"), rights),
    revoke: ({ secret, credentialId }) => {
      principals.delete(hashCredential(secret));
      return changes.push({ number: changes.length + 1, subjects: [credentialId] });
    },
    deregisteredAt: () => state.deregisteredAt,
    applied: () => state.applied,
    setLiveGateways: (count) => {
      state.liveGateways = count;
    },
    setIdentity: (how) => {
      state.identity = how;
    },
    setHanging: (does) => {
      state.isHanging = does;
    },
    dropConnections: () => {
      server.closeAllConnections();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends JSON with a length, like the services. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string | number>> = {},
  status = 200,
): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
