import type { AnyEndpoint } from "@nts/shared/contract";
import { authorize } from "@nts/shared/http/authorize";
import type { Authenticate } from "../authenticate/authenticate.js";
import type { Caller } from "../authenticate/caller.js";
import type { KeyUses } from "../authenticate/key-uses.js";
import type { Exchange } from "../edge/exchange.js";
import type { Charges } from "../charges/charges.js";
import { isRefusal } from "../charges/refusals.js";

/** Authenticates, limits and authorizes a request. @throws AppError of any of the three */
export type Admit = (exchange: Exchange, endpoint: AnyEndpoint) => Promise<Caller>;

interface AdmitOptions {
  readonly authenticate: Authenticate;
  readonly charges: Pick<Charges, "charge" | "chargeShare">;
  /** Both accepted and rejected requests of keys are counted. */
  readonly keyUses: Pick<KeyUses, "record" | "recordRefusal">;
}

export function createAdmit({ authenticate, charges, keyUses }: AdmitOptions): Admit {
  return async (exchange, endpoint) => {
    try {
      const caller = await authenticate(exchange, endpoint);
      await charges.charge(exchange);
      await charges.chargeShare(exchange);
      const { principal, limits } = caller;
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
      authorize(endpoint, principal);
      return caller;
    } catch (error) {
      if (exchange.keyId !== null && isRefusal(error)) keyUses.recordRefusal(exchange.keyId);
      throw error;
    }
  };
}
