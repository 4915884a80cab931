import { Agent, type ClientRequest, type IncomingMessage } from "node:http";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { createProxyMiddleware } from "http-proxy-middleware";
import { countedBody } from "../edge/body.js";
import { type Attempt, CONNECT_MS, IDLE_MS, MOST_CONNECTIONS, type Sending, type Transport } from "./transport.js";

// http-proxy-middleware reads method, url and headers of the client's request and pipes it to the service, which is all
// that it is given in its place: with clean headers, and a body that is counted on its way, or none at all where the
// operation takes none (a body without a place in the message to the service would be read there as the next request).

interface StandIn {
  readonly attempt: Attempt;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string | string[]>;
  readonly socket: Socket;
  on(): StandIn;
  pipe(outgoing: ClientRequest): ClientRequest;
  readonly onAnswer: (answer: IncomingMessage) => void;
  readonly onError: (error: Error) => void;
}

/** Sends by http-proxy-middleware. */
export function createMiddlewareTransport(): Transport {
  const agent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: IDLE_MS, maxSockets: MOST_CONNECTIONS });
  Object.assign(agent, { createConnection: connectInTime });
  const proxy = createProxyMiddleware<StandIn>({
    router: ({ attempt }) => targetOf(attempt.replica.origin),
    agent,
    selfHandleResponse: true,
    toProxy: true,
    // The default plugins answer faults in plain text and parse a URL for each log line.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on("proxyRes", (answer, standIn) => {
          // The types of http-proxy take both for the same kind of message.
          standIn.onAnswer(answer as unknown as IncomingMessage);
        });
        server.on("error", (error, standIn) => {
          standIn.onError(error);
        });
      },
    ],
  });

  return {
    send: (attempt) => {
      const { standIn, sending } = createStandIn(attempt);
      void proxy(standIn, {} as never, standIn.onError);
      return sending;
    },
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

function targetOf(origin: string) {
  const { protocol, host, hostname, port } = new URL(origin);
  return { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port };
}

/** A connection that is made within the time for it, or fails. */
function connectInTime(options: NetConnectOpts): Socket {
  const socket = connect(options);
  const timer = setTimeout(() => {
    socket.destroy(new Error("the connection was not made in time"));
  }, CONNECT_MS);
  const settle = (): void => {
    clearTimeout(timer);
  };
  return socket.once("connect", settle).once("close", settle);
}

function createStandIn(attempt: Attempt): { standIn: StandIn; sending: Sending } {
  const { request, replica, headers, bodyLimitBytes, reader } = attempt;
  let outgoing: ClientRequest | null = null;
  let answer: IncomingMessage | null = null;
  let wasSent = false;
  let isOver = false;

  function fault(error: Error): void {
    if (isOver) return;
    isOver = true;
    reader.onFault(error, wasSent);
  }

  function readAnswer(came: IncomingMessage): void {
    answer = came;
    if (isOver) {
      came.destroy();
      return;
    }
    const broken = (): void => {
      fault(new Error("the answer broke off"));
    };
    came
      .on("data", (piece: Buffer) => {
        if (!isOver && !reader.onData(piece)) came.pause();
      })
      .once("end", () => {
        if (isOver) return;
        if (!came.complete) {
          broken();
          return;
        }
        isOver = true;
        reader.onEnd(came.trailers);
      })
      .once("error", broken)
      .once("close", broken);
    reader.onHead({ status: came.statusCode ?? 0, headers: came.headers });
  }

  const standIn: StandIn = {
    attempt,
    method: request.method ?? "GET",
    url: request.url ?? "/",
    headers: { ...headers, host: replica.host },
    socket: request.socket,
    on: () => standIn,
    pipe: (message) => {
      outgoing = message;
      message.once("socket", (socket) => {
        // The client's body can be read once, so not before there is a connection: another replica may have to get it.
        const begin = (): void => {
          wasSent = true;
          // Its own faults reach `onError`, as an error of the message.
          if (bodyLimitBytes === null) message.end();
          else pipeline(countedBody(request, bodyLimitBytes), message, () => undefined);
        };
        if (socket.connecting) socket.once("connect", begin);
        else begin();
      });
      return message;
    },
    onAnswer: readAnswer,
    onError: fault,
  };
  const sending: Sending = {
    resume: () => answer?.resume(),
    abort: () => {
      isOver = true;
      outgoing?.destroy();
    },
  };
  return { standIn, sending };
}
