import type { Pipeline } from "../pipeline.js";
import type { Charges } from "../rate-limit/charges.js";
import { addRateLimit } from "../rate-limit/headers.js";
import { canonicalAddress } from "./client-address.js";
import { createClientErrors, createTunnelRefusal } from "./client-errors.js";
import { createConnections } from "./connections.js";
import type { Cors } from "./cors.js";
import { Exchange, type ExchangeContext } from "./exchange.js";
import type { Pace } from "./pace.js";
import type { Answerers } from "./public-server.js";

export interface AnswererOptions {
  readonly context: ExchangeContext;
  readonly pipeline: Pipeline;
  readonly pace: Pace;
  readonly charges: Pick<Charges, "chargeBytes">;
  readonly cors: Cors;
}

/** What the public server calls: requests become exchanges, and go through the pipeline in the turn of their connection. */
export function createAnswerers({ context, pipeline, pace, charges, cors }: AnswererOptions): Answerers {
  const connections = createConnections(pipeline.serve);

  const serve: Answerers["serve"] = (request, response) => {
    const connection = connections.of(request.socket);
    const exchange = new Exchange(request, response, context, connection.remove);
    exchange.isPreflight = cors(request, response);
    connection.add(exchange);
  };

  return {
    serve,
    onConnect: createTunnelRefusal(connections, serve),
    onClientError: createClientErrors({
      connections,
      pace,
      refuse: pipeline.refuseUnsound,
      charge: async (remoteAddress) => {
        const headers = context.everyAnswer.copy();
        addRateLimit(headers, await charges.chargeBytes(canonicalAddress(remoteAddress)));
        return headers;
      },
    }),
    onDefect: (error) => {
      context.onDefect();
      context.log.error({ err: error }, "a connection failed");
    },
  };
}
