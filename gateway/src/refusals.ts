import { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import type { Exchange } from "./edge/exchange.js";
import type { Charges } from "./rate-limit/charges.js";

/** How an exchange ends that is not served. */
export interface Refusals {
  /** Refuses a request that is no sound HTTP, at the cost of its address, and closes its connection. @throws AppError of the limit */
  refuse(exchange: Exchange, status: number): Promise<void>;
  /** The same where nobody waits; a connection whose answer has begun is cut. */
  refuseUnsound(exchange: Exchange, status: number): void;
  /** Fails an exchange; a refusal counts as a request, unless the request was counted before. */
  fail(exchange: Exchange, error: unknown): Promise<void>;
}

export function createRefusals(charges: Pick<Charges, "charge">): Refusals {
  async function fail(exchange: Exchange, error: unknown): Promise<void> {
    try {
      if (isRefusal(error)) await charges.charge(exchange);
      exchange.fail(error);
    } catch (limit) {
      exchange.fail(limit);
    }
  }

  async function refuse(exchange: Exchange, status: number): Promise<void> {
    // What follows on the connection may be ambiguous, too.
    exchange.closeConnection();
    await charges.charge(exchange);
    exchange.fail(new AppError("malformed_request"), status);
  }

  return {
    ...{ fail, refuse },
    refuseUnsound: (exchange, status) => {
      if (exchange.isOpen) refuse(exchange, status).catch((error: unknown) => fail(exchange, error));
      else exchange.cut();
    },
  };
}

/** Rather than a fault of ours. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && STATUSES[error.code] < 500;
}
