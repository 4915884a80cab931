/**
 * The gateway's neighbours as a test wants them: a real HTTP server that stands where identity and topology would. It
 * checks credentials that the test made, numbers changes of rights, and answers what is passed on to it as the test says.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { createApiKey } from "@nts/shared/api-key";
import { hashCredential } from "@nts/shared/credential";
import type { VerifiedPrincipal } from "@nts/shared/contract/internal";
import { INTERNAL_HEADER_LIMIT_BYTES } from "@nts/shared/http/headers";
import { PROBE_PATH } from "@nts/shared/http/probe";

/** A request that was passed on, as it arrived. */
export interface PassedOn {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A credential, the secret of which only the test knows. */
export interface GivenCredential {
  readonly secret: string;
  readonly userId: string;
  readonly credentialId: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Neighbour {
  readonly url: string;
  readonly passedOn: PassedOn[];
  /** How often identity was asked about a credential. */
  verifications(): number;
  /** Ids of keys that were reported as used. */
  readonly usedKeys: string[];
  /** Paths of the questions that identity, being silent, has left open. */
  readonly leftOpen: string[];
  /** Answers what is passed on; the default is `{}` with 200. */
  answerWith(answering: Answering): void;
  /** Answers what is passed on from its head alone, whatever becomes of its body; undone by {@link answerWith}. */
  answerHeadsWith(answering: Answering): void;
  aKey(rights?: Partial<VerifiedPrincipal>): GivenCredential;
  aSession(rights?: Partial<VerifiedPrincipal>): GivenCredential;
  /** Takes a credential away and numbers the change, as identity would; answers the number. */
  revoke(credential: GivenCredential): number;
  /** `performance.now()` at which a gateway said that it leaves; null before. */
  leftAt(): number | null;
  /** The number that the last pull said was applied. */
  applied(): number;
  /** How many gateways identity says live, from now on. */
  gatewaysLive(count: number): void;
  /** Whether identity answers, breaks every connection, or leaves questions open. */
  identityIs(state: "there" | "broken" | "silent"): void;
  /** Whether everything is left open, as by a process that is stopped; what it was asked meanwhile is never answered. */
  hangs(does: boolean): void;
  /** Breaks all connections. */
  dropConnections(): void;
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startNeighbour(liveGateways = 1): Promise<Neighbour> {
  const principals = new Map<string, VerifiedPrincipal>();
  const changes: { number: number; subjects: string[] }[] = [];
  const passedOn: PassedOn[] = [];
  const usedKeys: string[] = [];
  const leftOpen: string[] = [];
  let verifications = 0;
  let applied = 0;
  let isHanging = false;
  let answersHeads = false;
  let leftAt: number | null = null;
  let identity: "there" | "broken" | "silent" = "there";
  let answering: Answering = (_request, response) => {
    sendJson(response, {});
  };

  function answerInternal(path: string, query: URLSearchParams, body: string): unknown {
    switch (path) {
      case "/internal/key-changes":
        applied = Number(query.get("after"));
        if (query.get("leaving") === "true") leftAt = performance.now();
        return {
          changes: changes.filter(({ number }) => number > applied),
          highest: changes.length,
          reset: false,
          live_gateways: liveGateways,
        };
      case "/internal/key-uses":
        usedKeys.push(...(JSON.parse(body) as { uses: { key_id: string }[] }).uses.map(({ key_id }) => key_id));
        return null;
      default: {
        verifications++;
        const principal = principals.get((JSON.parse(body) as { hash: string }).hash);
        const number = changes.length;
        return principal === undefined
          ? { status: "refused", number, code: "api_key_invalid", subjects: [] }
          : { status: "valid", number, principal, expires_in_ms: null };
      }
    }
  }

  const limits = { keepAliveTimeout: 65_000, maxHeaderSize: INTERNAL_HEADER_LIMIT_BYTES };
  const server = createServer(limits, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://neighbour");
    if (isHanging) return;
    const internal = pathname.startsWith("/internal/");
    if (internal && identity !== "there") {
      if (identity === "broken") request.socket.destroy();
      else leftOpen.push(pathname);
      return;
    }
    if (pathname === PROBE_PATH) {
      response.end();
      return;
    }
    const answer = (body: string): void => {
      if (internal) {
        sendJson(response, answerInternal(pathname, searchParams, body));
        return;
      }
      const { method = "", url = "", headers, rawHeaders } = request;
      passedOn.push({ method, url, headers, rawHeaders, body });
      answering(request, response);
    };
    if (answersHeads && !internal) {
      answer("");
      return;
    }
    // A request that breaks off has nobody to answer.
    readAll(request).then(answer, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  function give(kind: "key" | "session", secret: string, rights: Partial<VerifiedPrincipal>): GivenCredential {
    const principal: VerifiedPrincipal = {
      kind,
      credential_id: randomUUID(),
      organization_id: randomUUID(),
      user_id: randomUUID(),
      permission: "Owner",
      networks: "all",
      ...rights,
    };
    principals.set(hashCredential(secret), principal);
    const headers: Record<string, string> =
      kind === "key" ? { authorization: `Bearer ${secret}` } : { cookie: `session_id=${secret}` };
    return { secret, headers, userId: principal.user_id, credentialId: principal.credential_id };
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passedOn,
    verifications: () => verifications,
    usedKeys,
    leftOpen,
    answerWith: (next) => {
      [answering, answersHeads] = [next, false];
    },
    answerHeadsWith: (next) => {
      [answering, answersHeads] = [next, true];
    },
    aKey: (rights = {}) => give("key", createApiKey().secret, rights),
    aSession: (rights = {}) => give("session", randomUUID().replaceAll("-", "").padEnd(43, "x"), rights),
    revoke: ({ secret, credentialId }) => {
      principals.delete(hashCredential(secret));
      return changes.push({ number: changes.length + 1, subjects: [credentialId] });
    },
    leftAt: () => leftAt,
    applied: () => applied,
    gatewaysLive: (count) => {
      liveGateways = count;
    },
    identityIs: (state) => {
      identity = state;
    },
    hangs: (does) => {
      isHanging = does;
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

/** Answers JSON with a length, as the services do. */
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
