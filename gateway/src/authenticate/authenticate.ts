import type { IncomingMessage } from "node:http";
import { type AnyEndpoint, bodyTypesOf } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Exchange } from "../edge/exchange.js";
import type { Charges, LookupPayment } from "../rate-limit/charges.js";
import { type Caller, createCaller } from "./caller.js";
import { type Credential, readCredential } from "./credential.js";
import { isFromOwnPage } from "./csrf.js";
import type { Verdict } from "./key-cache.js";
import type { Verifier } from "./verifier.js";

/** Finds out on whose behalf a request is made. @throws AppError when its credential is missing, malformed or refused */
export type Authenticate = (exchange: Exchange, endpoint: AnyEndpoint) => Promise<Caller>;

export interface AuthenticateOptions {
  readonly verifier: Verifier;
  readonly charges: Pick<Charges, "payForLookup">;
  /** Origin of the public URL, if there is one. */
  readonly ownOrigin: string | null;
}

export function createAuthenticate({ verifier, charges, ownOrigin }: AuthenticateOptions): Authenticate {
  const anonymous = createCaller({ kind: "anonymous" });

  /** What a credential stands for that is not remembered. */
  async function verify(exchange: Exchange, credential: Credential): Promise<Verdict> {
    let payment: LookupPayment | null = null;
    let isRefused = false;
    try {
      const verdict = await verifier.verify(credential, exchange.cause, async () => {
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
      if (principal.kind === "key") exchange.keyId = principal.credentialId;
      // Before it counts as the user's request: from elsewhere it costs only that address.
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
 * Makes the function that checks, before an answer goes out that was held back, that the caller may have what it could have when it
 * asked. @throws AppError when its credential is refused by now · `unavailable` when its rights are others, and it may ask again
 */
export function createJudgeAgain(authenticate: Authenticate) {
  return async (exchange: Exchange, endpoint: AnyEndpoint, { principal }: Caller): Promise<void> => {
    const now = await authenticate(exchange, endpoint);
    if (JSON.stringify(now.principal) !== JSON.stringify(principal)) throw new AppError("unavailable");
  };
}

/** The credential to be checked; null where the request may go on without one. @throws AppError when it may not */
function credentialOf(request: IncomingMessage, endpoint: AnyEndpoint, ownOrigin: string | null): Credential | null {
  const presented = readCredential(request.headers);
  const isNeeded = endpoint.credential !== "optional";
  if (presented.kind === "key") return isNeeded ? presented : null;
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
