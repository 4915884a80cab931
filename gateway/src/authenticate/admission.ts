import type { IncomingMessage, OutgoingHttpHeader } from "node:http";
import { addressBlockOf } from "@nts/shared/address-block";
import { type AnyEndpoint, bodyTypesOf, isAtLeast } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import { causeOf, type Exchange } from "../edge/exchange.js";
import type { Fields } from "../edge/json-headers.js";
import type { Level } from "../rate-limit/bucket.js";
import { addRateLimit, retryAfterSeconds } from "../rate-limit/headers.js";
import type { Limiter } from "../rate-limit/limiter.js";
import { type Caller, createCaller } from "./caller.js";
import { type Credential, readCredential } from "./credential.js";
import { isFromOwnPage } from "./csrf.js";
import type { Verdict } from "./key-cache.js";
import type { KeyUses } from "./key-uses.js";
import type { Verifier } from "./verifier.js";

// Lets a request pass, or refuses it: credential, then limit, then permission. Every request costs one token: of its user
// when the credential is good, of its address otherwise. An address without tokens is refused before identity is asked.

export interface Admission {
  /** The caller of an operation. @throws AppError when the request may not pass; its answer then has the level's headers */
  admit(exchange: Exchange, endpoint: AnyEndpoint): Promise<Caller>;
  /** Counts a request that leads to no operation. @throws AppError `rate_limited` */
  chargeAddress(exchange: Exchange): Promise<void>;
  /** Refuses a request at the cost of its address. @throws AppError the given one, or `rate_limited` */
  refuse(exchange: Exchange, error: AppError): Promise<never>;
  /** Counts bytes that are no request. @returns the headers that tell the level, names and values by turns */
  chargeBytes(address: string): Promise<Fields>;
}

export interface AdmissionOptions {
  readonly verifier: Verifier;
  readonly limiter: Limiter;
  readonly keyUses: Pick<KeyUses, "record">;
  /** Origin of the public URL, if there is one. */
  readonly ownOrigin: string | null;
}

/** Null for nobody. */
type User = Caller<UserPrincipal> | null;

/** What requests must pass before they reach a service. */
export function createAdmission({ verifier, limiter, keyUses, ownOrigin }: AdmissionOptions): Admission {
  const anonymous = createCaller({ kind: "anonymous" });

  async function chargeAddress(exchange: Exchange): Promise<void> {
    passOrRefuse(exchange, await limiter.addresses.take(addressBlockOf(exchange.clientAddress)));
  }

  async function refuse(exchange: Exchange, error: AppError): Promise<never> {
    await chargeAddress(exchange);
    throw error;
  }

  /** The credential to be checked, null where none is needed, or why the request is refused without one. */
  function credentialOf({ request }: Exchange, endpoint: AnyEndpoint): Credential | AppError | null {
    const presented = readCredential(request.headers);
    const needed = endpoint.credential !== "optional";
    if (presented.kind === "nothing") return needed ? new AppError("not_authenticated") : null;
    if (presented.kind === "malformed") return needed ? new AppError(presented.code) : null;
    if (presented.kind === "key") return needed ? presented : null;
    const isAllowed = !isWrite(request) || isFromOwnPage(request.headers, ownOrigin, bodyTypesOf(endpoint));
    return isAllowed ? presented : new AppError("csrf_rejected");
  }

  /** Whose request it is; at once where that is remembered, because waiting would cost more than finding it. */
  function userOf(exchange: Exchange, endpoint: AnyEndpoint): User | Promise<User> {
    const credential = credentialOf(exchange, endpoint);
    if (credential === null) return null;
    if (credential instanceof AppError) return refuse(exchange, credential);
    const remembered = verifier.recall(credential);
    if (remembered !== null) return userBy(remembered, exchange, endpoint);
    return verify(exchange, credential).then((verdict) => userBy(verdict, exchange, endpoint));
  }

  function userBy(verdict: Verdict, exchange: Exchange, endpoint: AnyEndpoint): User | Promise<User> {
    if (verdict.kind === "valid") return verdict.caller;
    return endpoint.credential === "optional" ? null : refuse(exchange, new AppError(verdict.code));
  }

  async function verify(exchange: Exchange, credential: Credential): Promise<Verdict> {
    passOrRefuse(exchange, await limiter.addresses.peek(addressBlockOf(exchange.clientAddress)));
    return verifier.verify(credential, causeOf(exchange));
  }

  return {
    chargeAddress,
    refuse,
    chargeBytes: async (address) => {
      const fields: OutgoingHttpHeader[] = [];
      addRateLimit(fields, await limiter.addresses.take(addressBlockOf(address)));
      return fields;
    },
    admit: async (exchange, endpoint) => {
      const user = endpoint.credential === "none" ? null : userOf(exchange, endpoint);
      const caller = user instanceof Promise ? await user : user;
      if (caller === null) {
        await chargeAddress(exchange);
        return anonymous;
      }
      const { principal } = caller;
      exchange.principal = principal;
      passOrRefuse(exchange, await limiter.users.take(principal.userId));
      if (principal.kind === "key") {
        keyUses.record(principal.credentialId);
        if (endpoint.credential === "session") throw new AppError("session_required");
      }
      const { permission } = endpoint;
      if (permission !== null && !isAtLeast(principal.permission, permission))
        throw new AppError("permission_denied", { required: permission });
      return caller;
    },
  };
}

function passOrRefuse(exchange: Exchange, level: Level): void {
  exchange.level = level;
  if (!level.allowed) throw new AppError("rate_limited", { retry_after_seconds: retryAfterSeconds(level) });
}

function isWrite({ method }: IncomingMessage): boolean {
  return method !== "GET" && method !== "HEAD";
}
