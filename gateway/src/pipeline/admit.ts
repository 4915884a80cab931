import { setImmediate } from "node:timers/promises";
import type { AnyEndpoint } from "@nts/shared/contract";
import { authorize } from "@nts/shared/http/authorize";
import type { Authenticate } from "../authenticate/authenticate.js";
import type { Caller } from "../authenticate/caller.js";
import type { KeyUses } from "../authenticate/key-uses.js";
import { hasBody } from "../edge/announced-body.js";
import type { Exchange } from "../edge/exchange.js";
import type { Charges } from "../charges/charges.js";
import { isRefusal } from "../charges/refusals.js";
import type { Admitted } from "../proxy/forward.js";

// The limiter decides before a request is forwarded. Only a read of a caller who has plenty left is forwarded meanwhile,
// and its response held back until the decision (`proxy/held-response.ts`). It must be the caller's only request: one over
// the limit, of which this gateway does not know yet, has one read carried out in vain, and concurrent ones are batched.

/** Authenticates, limits and authorizes a request. @throws AppError of any of the three */
export type Admit = (exchange: Exchange, endpoint: AnyEndpoint) => Promise<Admitted>;

interface AdmitOptions {
  readonly authenticate: Authenticate;
  readonly charges: Pick<Charges, "charge" | "chargeShare" | "hasPlenty">;
  /** Both accepted and rejected requests of keys are counted. */
  readonly keyUses: Pick<KeyUses, "record" | "recordRefusal">;
}

export function createAdmit({ authenticate, charges, keyUses }: AdmitOptions): Admit {
  /** Open requests by caller. */
  const open = new Map<string, number>();

  function enter(exchange: Exchange): void {
    const { caller } = exchange;
    open.set(caller, (open.get(caller) ?? 0) + 1);
    let isOpen = true;
    exchange.releaseAtEnd({
      release: () => {
        if (!isOpen) return;
        isOpen = false;
        const left = (open.get(caller) ?? 0) - 1;
        if (left > 0) open.set(caller, left);
        else open.delete(caller);
      },
    });
  }

  const isAlone = ({ caller }: Exchange): boolean => open.get(caller) === 1;

  async function admit(exchange: Exchange, endpoint: AnyEndpoint): Promise<Admitted> {
    const caller = await authenticate(exchange, endpoint);
    // A stream may be open all day.
    if (endpoint.streams !== true) enter(exchange);
    const mayBeAhead = isPlainRead(exchange, endpoint) && isAlone(exchange) && charges.hasPlenty(exchange);
    const counted = count(exchange, caller);
    try {
      // Others may have arrived in the same tick.
      if (mayBeAhead) await Promise.race([counted, setImmediate()]);
      const isAhead = mayBeAhead && isAlone(exchange);
      if (!isAhead) await counted;
      authorize(endpoint, caller.principal);
      return { caller, counted: isAhead ? noting(exchange, counted) : null };
    } catch (error) {
      await counted;
      throw error;
    }
  }

  async function count(exchange: Exchange, { principal, limits }: Caller): Promise<void> {
    await charges.charge(exchange);
    await charges.chargeShare(exchange);
    const { clientAddress: address } = exchange;
    if (principal.kind === "key")
      keyUses.record({
        keyId: principal.credentialId,
        address,
        isPrevious: limits.isPrevious,
        isCollector: principal.collector !== undefined,
      });
    if (principal.kind === "share")
      keyUses.record({ keyId: principal.shareId, address, isPrevious: false, isShare: true });
  }

  async function noting<T>(exchange: Exchange, step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      if (exchange.keyId !== null && isRefusal(error)) keyUses.recordRefusal(exchange.keyId);
      throw error;
    }
  }

  return (exchange, endpoint) => noting(exchange, admit(exchange, endpoint));
}

/** It is forwarded, has no body, and no effect but its response: files are noted in the audit log. */
function isPlainRead({ request }: Exchange, endpoint: AnyEndpoint): boolean {
  const { method, upstream, isFile, redirects, streams } = endpoint;
  const isRead = method === "get" && upstream !== "gateway" && streams !== true;
  return isRead && isFile !== true && redirects !== true && !hasBody(request.headers);
}
