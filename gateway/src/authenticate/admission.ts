import type { IncomingMessage } from "node:http";
import { addressBlockOf } from "@nts/shared/address-block";
import { type AnyEndpoint, bodyTypesOf } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { authorize } from "@nts/shared/http/authorize";
import type { UserPrincipal } from "@nts/shared/http/tenancy";
import type { Exchange } from "../edge/exchange.js";
import type { Buckets, Level } from "../rate-limit/bucket.js";
import { retryAfterSeconds } from "../rate-limit/headers.js";
import type { Limiter } from "../rate-limit/limiter.js";
import { type Caller, createCaller } from "./caller.js";
import { type Credential, readCredential } from "./credential.js";
import { isFromOwnPage } from "./csrf.js";
import type { Verdict } from "./key-cache.js";
import type { KeyUses } from "./key-uses.js";
import type { Verifier } from "./verifier.js";

// Lets a request pass, or refuses it: credential, then limit, then permission. Every request costs one token: of its user
// when the credential is good, of its address otherwise. Whoever shares an address with somebody that sends bad credentials
// must not pay for it: a credential that is not remembered takes its token before it is looked up and gets it back when it
// is good, and where the address has none left, it takes one of a bucket for look-ups alone.

export interface Admission {
  /** The caller of an operation. @throws AppError when the request may not pass; its answer then has the level's headers */
  admit(exchange: Exchange, endpoint: AnyEndpoint): Promise<Caller>;
  /** Counts a request that leads to no operation. @throws AppError `rate_limited` */
  chargeAddress(exchange: Exchange): Promise<void>;
  /** Refuses a request at the cost of its address. @throws AppError the given one, or `rate_limited` */
  refuse(exchange: Exchange, error: AppError): Promise<never>;
  /** Counts bytes that are no request. */
  chargeBytes(address: string): Promise<Level>;
}

export interface AdmissionOptions {
  readonly verifier: Verifier;
  readonly limiter: Limiter;
  readonly keyUses: Pick<KeyUses, "record">;
  /** Origin of the public URL, if there is one. */
  readonly ownOrigin: string | null;
}

/** A token that was taken for a look-up. */
interface Payment {
  readonly address: string;
  /** Of the address's own bucket. */
  readonly level: Level;
  readonly buckets: Buckets;
}

/** Null for nobody. */
type User = Caller<UserPrincipal> | null;

/** What requests must pass before they reach a service. */
export function createAdmission({ verifier, limiter, keyUses, ownOrigin }: AdmissionOptions): Admission {
  const anonymous = createCaller({ kind: "anonymous" });

  async function chargeAddress(exchange: Exchange): Promise<void> {
    // A credential that was looked up and refused has paid.
    if (exchange.level !== null) return;
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
    if (!isAllowed) return new AppError("csrf_rejected");
    if (presented.kind === "session") return presented;
    return needed ? new AppError("malformed_request") : null;
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

  /** What a credential stands for that is not remembered. The token of a refused one stays taken, and is the request's. */
  async function verify(exchange: Exchange, credential: Credential): Promise<Verdict> {
    const address = addressBlockOf(exchange.clientAddress);
    let payment: Payment | null = null;
    let isRefused = false;
    const pay = async (): Promise<void> => {
      payment = await payForLookup(exchange, address);
    };
    try {
      const verdict = await verifier.verify(credential, exchange.cause, pay);
      isRefused = verdict.kind === "refused";
      return verdict;
    } catch (error) {
      // It joined a look-up that another address had no tokens for.
      if (error instanceof AppError && error.code === "rate_limited" && exchange.level === null)
        await chargeAddress(exchange);
      throw error;
    } finally {
      await settle(exchange, payment, isRefused);
    }
  }

  async function payForLookup(exchange: Exchange, address: string): Promise<Payment> {
    const level = await limiter.addresses.take(address);
    if (level.allowed) return { address, level, buckets: limiter.addresses };
    const { allowed, waitMs } = await limiter.lookups.take(address);
    if (!allowed) passOrRefuse(exchange, { ...level, waitMs: Math.min(waitMs, level.waitMs) });
    return { address, level, buckets: limiter.lookups };
  }

  async function settle(exchange: Exchange, payment: Payment | null, isRefused: boolean): Promise<void> {
    if (payment === null) return;
    const { address, level, buckets } = payment;
    if (!isRefused) await buckets.giveBack(address);
    else if (level.allowed) exchange.level = level;
  }

  return {
    chargeAddress,
    refuse,
    chargeBytes: (address) => limiter.addresses.take(addressBlockOf(address)),
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
      if (principal.kind === "key") keyUses.record(principal.credentialId);
      authorize(endpoint, principal);
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
