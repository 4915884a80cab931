import type { Socket } from "node:net";
import { createTurns } from "@nts/shared/http/turns";
import type { Serve } from "./pipeline.js";
import type { Charges } from "../charges/charges.js";
import { addRateLimit } from "../edge/rate-limit-headers.js";
import type { Refusals } from "../charges/refusals.js";
import { canonicalAddress } from "../edge/client-address.js";
import { createClientErrors, createTunnelRefusal } from "../edge/client-errors.js";
import { createConnections } from "../edge/connections.js";
import type { Cors } from "../edge/cors.js";
import { createReadTurns } from "../edge/read-turns.js";
import type { NoteForwarded } from "../edge/forwarded-unheeded.js";
import { Exchange, type ExchangeContext } from "../edge/exchange.js";
import type { UploadDeadlines } from "../edge/upload-deadlines.js";
import type { Listeners } from "../edge/public-server.js";

export interface ListenersOptions {
  readonly context: ExchangeContext;
  readonly pipeline: Serve;
  readonly refusals: Pick<Refusals, "refuseUnsound">;
  readonly uploadDeadlines: UploadDeadlines;
  readonly charges: Pick<Charges, "chargeBytes">;
  readonly cors: Cors;
  readonly noteForwarded: NoteForwarded;
}

/** The listeners of the public server: they turn requests into exchanges, which take turns per connection. */
export function createListeners(options: ListenersOptions): Listeners {
  const { context, pipeline, refusals, uploadDeadlines, charges, cors, noteForwarded } = options;
  const arriving = createTurns();
  const addressOf = (socket: Socket): string => context.connections.all().get(socket) ?? "";
  const reads = createReadTurns(context.connections.all);
  const connections = createConnections(pipeline, arriving, reads, addressOf);

  const serve: Listeners["serve"] = (request, response) => {
    const connection = connections.of(request.socket);
    if (connection.isFull) {
      connection.drop(request);
      return;
    }
    noteForwarded(request);
    const exchange = new Exchange(request, response, context, connection.remove);
    exchange.isPreflight = cors(request, response);
    connection.add(exchange);
  };

  return {
    serve,
    arriving,
    read: (socket) => {
      reads.read(addressOf(socket), socket);
    },
    onConnect: createTunnelRefusal(connections, serve),
    onClientError: createClientErrors({
      connections,
      uploadDeadlines,
      refuse: refusals.refuseUnsound,
      charge: async (remoteAddress) => {
        const headers = context.commonHeaders.copy();
        const address = await charges.chargeBytes(canonicalAddress(remoteAddress));
        addRateLimit(headers, address, { address });
        return headers;
      },
    }),
    onDefect: (error) => {
      context.onDefect();
      context.log.error({ err: error }, "a connection failed");
    },
  };
}
