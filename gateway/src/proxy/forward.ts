import type { AnyEndpoint } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { bodyLimitOf } from "@nts/shared/http/body";
import { INTERNAL, REQUEST_ID, TRACEPARENT, TRACESTATE } from "@nts/shared/http/headers";
import { readTraceparent } from "@nts/shared/tracing/trace-context";
import type { Caller } from "../authenticate/caller.js";
import { browserHashesOf, sessionHashesOf } from "../authenticate/credential.js";
import { announcesTooMuch, hasBody } from "../edge/announced-body.js";
import { readBody, skipBody } from "../edge/body.js";
import type { Exchange } from "../edge/exchange.js";
import type { InFlight, Purpose, Service } from "../edge/in-flight.js";
import { queryOf } from "../edge/target.js";
import type { UploadDeadlines } from "../edge/upload-deadlines.js";
import { cleanHeaders } from "./hygiene.js";
import type { StreamSlots } from "../streams/slots.js";
import type { RightsOf } from "../streams/stream-rights.js";
import type { Proxy } from "./forwarding.js";
import type { OutgoingBody } from "./transport.js";

export interface ForwardOptions {
  readonly inFlight: InFlight;
  readonly streamSlots: StreamSlots;
  readonly uploadDeadlines: UploadDeadlines;
  /** Rejects a request with a fault after its head. */
  readonly refuse: (exchange: Exchange, status: number) => void;
  readonly tenancyHeader: (caller: Caller, audience: Service) => string;
  /** Re-checks the caller's rights. @throws AppError if they have changed */
  readonly recheck: (exchange: Exchange, endpoint: AnyEndpoint, caller: Caller) => Promise<void>;
  /** Checks the rights of an open stream. */
  readonly rightsOf: RightsOf;
  readonly services: Readonly<Record<Service, Proxy>>;
}

/**
 * Forwards a request to the service of its operation. @throws AppError if a limit is exceeded, or its body is unusable
 */
export type Forward = (exchange: Exchange, endpoint: AnyEndpoint, admitted: Admitted) => Promise<void>;

/** Who may have the request carried out. */
export interface Admitted {
  readonly caller: Caller;
  /** The limiter's decision, before which nothing is answered; null if it has been made. @throws AppError `rate_limited` */
  readonly counted: Promise<void> | null;
}

/** What is forwarded, and for whom. */
interface Outgoing {
  readonly exchange: Exchange;
  readonly endpoint: AnyEndpoint;
  readonly caller: Caller;
  readonly counted: Promise<void> | null;
  readonly purpose: Purpose;
  /** Checks that the caller still has its rights. @throws AppError */
  readonly confirm: () => Promise<void>;
}

export function createForward(options: ForwardOptions): Forward {
  const { inFlight, streamSlots, uploadDeadlines, refuse, tenancyHeader, recheck, rightsOf, services } = options;

  function dispatch({ exchange, endpoint, caller, counted, purpose, confirm }: Outgoing, body: OutgoingBody): void {
    const service = endpoint.upstream as Service;
    const headers = cleanHeaders(exchange.request.headers, endpoint.body !== undefined);
    if (body instanceof Buffer) headers["content-length"] = String(body.length);
    headers[INTERNAL.tenancy] = tenancyHeader(caller, service);
    headers[INTERNAL.clientAddress] = exchange.clientAddress;
    if (endpoint.endsSessions === true)
      headers[INTERNAL.sessionHashes] = sessionHashesOf(exchange.request.headers).join(",");
    if (endpoint.bindsBrowser === true)
      headers[INTERNAL.browserHashes] = browserHashesOf(exchange.request.headers).join(",");
    headers[REQUEST_ID] = exchange.requestId;
    headers[TRACEPARENT] = exchange.span.traceparent;
    const { [TRACESTATE]: state, [TRACEPARENT]: given } = exchange.request.headers;
    // Belongs to the client's trace; meaningless without one.
    if (state !== undefined && readTraceparent(given) !== null) headers[TRACESTATE] = state;
    const waiting = purpose !== "waiting" ? {} : { recheck: confirm };
    const streaming = purpose !== "stream" ? {} : { rights: rightsOf(exchange, endpoint, caller) };
    services[service]({ exchange, endpoint, headers, body, purpose, counted, ...waiting, ...streaming });
  }

  function begin(exchange: Exchange, endpoint: AnyEndpoint, { caller, counted }: Admitted): Promise<void> | void {
    const { upload } = endpoint;
    const { headers } = exchange.request;
    const confirm = (): Promise<void> => recheck(exchange, endpoint, caller);
    const outgoing = { exchange, endpoint, caller, counted, purpose: purposeOf(exchange, endpoint), confirm };
    const request = inFlight.enter(exchange, outgoing.purpose);
    const limit_bytes = bodyLimitOf(endpoint, headers);
    if (announcesTooMuch(headers, limit_bytes)) throw new AppError("payload_too_large", { limit_bytes });

    // The client sets the pace of its body, and its rights may end meanwhile.
    const isLate = upload === undefined && hasBody(headers) && !exchange.request.complete;
    const send = (body: OutgoingBody): Promise<void> | void => {
      const turn =
        outgoing.purpose === "stream" ? streamSlots.take(exchange) : request.turn(endpoint.upstream as Service);
      if (turn === null && !isLate) return dispatch(outgoing, body);
      return Promise.all([turn, counted])
        .then(confirm)
        .then(() => {
          dispatch(outgoing, body);
        });
    };

    if (upload !== undefined) {
      uploadDeadlines.watch(exchange, () => {
        refuse(exchange, 408);
      });
      return send({ limitBytes: limit_bytes, confirm });
    }
    if (!hasBody(headers)) return send(endpoint.body === undefined ? null : Buffer.alloc(0));
    if (endpoint.body === undefined) return skipBody(exchange).then(() => send(null));
    return readBody(exchange, (bytes) => {
      request.countBody(bytes);
    }).then(send);
  }

  return async (exchange, endpoint, admitted) => {
    try {
      await begin(exchange, endpoint, admitted);
    } finally {
      // The refusal of the limiter comes before any other.
      await admitted.counted;
    }
  };
}

/** As decoded by the service, which rejects what is no number. */
function asksToWait(request: Exchange["request"]): boolean {
  return new URLSearchParams(queryOf(request)).getAll("wait").some((text) => Number(text) > 0);
}

function purposeOf({ request }: Exchange, { upload, waits, streams }: AnyEndpoint): Purpose {
  if (upload !== undefined) return "upload";
  if (streams === true) return "stream";
  return waits === true && asksToWait(request) ? "waiting" : "plain";
}
