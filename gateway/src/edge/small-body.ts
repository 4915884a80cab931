import { AppError } from "@nts/shared/errors";
import { announcesTooMuch } from "./announced-body.js";
import { readBody } from "./body.js";
import type { Exchange } from "./exchange.js";
import type { InFlight } from "./in-flight.js";

/**
 * Reads a body that the gateway handles itself, and counts the request as in flight.
 *
 * @throws AppError `payload_too_large` · `too_many_in_flight` · `malformed_request`
 */
export function readSmallBody(exchange: Exchange, inFlight: InFlight, mostBytes: number): Promise<Buffer> {
  const counted = inFlight.enter(exchange, "plain");
  if (announcesTooMuch(exchange.request.headers, mostBytes)) throw new AppError("payload_too_large");
  let length = 0;
  return readBody(exchange, (more) => {
    length += more;
    if (length > mostBytes) throw new AppError("payload_too_large");
    counted.countBody(more);
  });
}
