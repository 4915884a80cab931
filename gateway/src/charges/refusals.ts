import { AppError } from "@nts/shared/errors";
import { STATUSES } from "@nts/shared/http/statuses";
import type { Exchange } from "../edge/exchange.js";
import type { Charges } from "./charges.js";

/** How exchanges end that are not served. */
export interface Refusals {
  /** Rejects an unsound request at the cost of its address, and closes its connection. @throws AppError of the limit */
  refuse(exchange: Exchange, status: number): Promise<void>;
  /** Like `refuse`, but if the response has started it is cut. */
  refuseUnsound(exchange: Exchange, status: number): void;
  /** Fails an exchange; a rejection counts as a request unless already counted. */
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

/** Rather than an internal error. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && STATUSES[error.code] < 500;
}
