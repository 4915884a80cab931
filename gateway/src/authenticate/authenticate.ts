import type { IncomingMessage } from "node:http";
import { type AnyEndpoint, bodyTypesOf } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Exchange } from "../edge/exchange.js";
import type { Charges, LookupPayment } from "../charges/charges.js";
import { type Caller, createCaller } from "./caller.js";
import { type Credential, readCredential } from "./credential.js";
import { isFromOwnPage } from "./csrf.js";
import type { Verdict } from "./key-cache.js";
import type { Verifier } from "./verifier.js";

/** Determines the caller of a request. @throws AppError if the credential is missing, malformed or rejected */
export type Authenticate = (exchange: Exchange, endpoint: AnyEndpoint) => Promise<Caller>;

export interface AuthenticateOptions {
  readonly verifier: Verifier;
  readonly charges: Pick<Charges, "payForLookup">;
  /** Origin of the public URL, if configured. */
  readonly ownOrigin: string | null;
}

export function createAuthenticate({ verifier, charges, ownOrigin }: AuthenticateOptions): Authenticate {
  const anonymous = createCaller({ kind: "anonymous" });

  /** Verifies a credential that is not cached. */
  async function verify(exchange: Exchange, credential: Credential): Promise<Verdict> {
    let payment: LookupPayment | null = null;
    let isRefused = false;
    try {
      const verdict = await verifier.verify(credential, exchange, async () => {
        payment = await charges.payForLookup(exchange);
      });
      isRefused = verdict.kind === "refused";
      return verdict;
    } finally {
      await (payment as LookupPayment | null)?.settle(isRefused);
    }
  }

  return async (exchange, endpoint) => {
    const credential = endpoint.credential === "none" ? null : credentialOf(exchange.request, endpoint, ownOrigin);
    if (credential === null) return anonymous;
    const verdict = verifier.recall(credential) ?? (await verify(exchange, credential));
    if (verdict.kind === "valid") {
      const { principal, limits } = verdict.caller;
      if (principal.kind === "share") {
        exchange.shareId = principal.shareId;
        return verdict.caller;
      }
      if (principal.kind === "key") exchange.keyId = principal.credentialId;
      // Before it counts against the user: a request from a disallowed address costs only that address.
      if (!limits.mayComeFrom(exchange.clientAddress)) throw new AppError("address_not_allowed");
      exchange.principal = principal;
      exchange.keyPerMinute = limits.perMinute;
      return verdict.caller;
    }
    if (endpoint.credential === "optional") return anonymous;
    throw new AppError(verdict.code);
  };
}

/**
 * Creates a function that re-checks, before a delayed response is sent, that the caller still has its rights.
 * @throws AppError if the credential is rejected by now · `unavailable` if its rights have changed, so that it may
 * retry
 */
export function createRecheck(authenticate: Authenticate) {
  return async (exchange: Exchange, endpoint: AnyEndpoint, { principal }: Caller): Promise<void> => {
    const now = await authenticate(exchange, endpoint);
    if (JSON.stringify(now.principal) !== JSON.stringify(principal)) throw new AppError("unavailable");
  };
}

/** The credential to verify; null if the request may proceed without one. @throws AppError if it may not */
function credentialOf(request: IncomingMessage, endpoint: AnyEndpoint, ownOrigin: string | null): Credential | null {
  const presented = readCredential(request.headers);
  const isNeeded = endpoint.credential !== "optional";
  if (presented.kind === "key" || presented.kind === "share" || presented.kind === "collector")
    return isNeeded ? presented : null;
  if (presented.kind === "session" || presented.kind === "ambiguous") {
    if (isWrite(request) && !isFromOwnPage(request.headers, ownOrigin, bodyTypesOf(endpoint)))
      throw new AppError("csrf_rejected");
    if (presented.kind === "session") return presented;
    if (isNeeded) throw new AppError("malformed_request");
  } else if (isNeeded) throw new AppError(presented.kind === "malformed" ? presented.code : "not_authenticated");
  return null;
}

function isWrite({ method }: IncomingMessage): boolean {
  return method !== "GET" && method !== "HEAD";
}
