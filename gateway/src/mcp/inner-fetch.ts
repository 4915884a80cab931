import { type ClientRequest, createServer, type IncomingMessage, request } from "node:http";
import { Duplex, PassThrough } from "node:stream";
import type { Listener } from "@nts/shared/http/server";

// Requests that the gateway makes of itself, on behalf of a client whose request it is answering. They come in by the front door:
// each is read, authenticated, limited, authorized, forwarded and accounted for as one of the client's own, from its address.
// They travel in memory, so that nobody else can come this way.

/** Bytes of an answer beyond which it is given up: what is asked for here is asked for in small pages. */
const MOST_BYTES = 4_194_304;

/** `fetch` for requests from an address. An answer that is too large becomes a failure, `payload_too_large`. */
export type InnerFetch = (address: string) => typeof globalThis.fetch;

const TOO_LARGE = JSON.stringify({
  ...{ success: false, error: "What was asked for is too large.", code: "payload_too_large", params: {} },
  meta: { request_id: "" },
});

/** @param serve what answers the requests of the public server */
export function createInnerFetch(serve: Listener): InnerFetch {
  // It never listens: connections are handed to it.
  const server = createServer(serve);
  return (address) => async (url, init) => {
    const { far, near } = connection(address);
    server.emit("connection", far);
    try {
      const target = new URL(url instanceof Request ? url.url : url);
      const asking = request({
        ...{ createConnection: () => near, host: target.host },
        ...{ path: target.pathname + target.search, method: init?.method ?? "GET" },
        headers: init?.headers as Record<string, string>,
      });
      const answer = await answerTo(asking, init?.body as string | undefined);
      const body = await bytesOf(answer);
      if (body === null) return new Response(TOO_LARGE, { status: 413 });
      return new Response(body.length === 0 ? null : body, {
        status: answer.statusCode ?? 500,
        headers: headersOf(answer),
      });
    } finally {
      near.destroy();
      far.destroy();
    }
  };
}

/** Both ends of a connection in memory; to the server it comes from the address. */
function connection(address: string): { readonly far: Duplex; readonly near: Duplex } {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const far = Duplex.from({ readable: there, writable: back });
  const near = Duplex.from({ readable: back, writable: there });
  for (const end of [far, near]) end.on("error", () => undefined);
  return { far: Object.assign(far, { remoteAddress: address }), near };
}

function answerTo(asking: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    asking.once("response", resolve).once("error", reject).end(body);
  });
}

/** Null for too many. */
async function bytesOf(answer: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const known = new Headers();
  for (const name of ["content-type", "etag", "retry-after", "x-request-id"]) {
    const value = headers[name];
    if (typeof value === "string") known.set(name, value);
  }
  return known;
}
