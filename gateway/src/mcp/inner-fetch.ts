import { type ClientRequest, createServer, type IncomingMessage, request } from "node:http";
import { Duplex, PassThrough } from "node:stream";
import type { Listener } from "@nts/shared/http/server";

// In-process requests to our own public server on behalf of a client. They pass through the whole pipeline from the
// client's address, over in-memory connections that no other client can use.

/** Maximum bytes of a response; tools request small pages. */
const MOST_BYTES = 4_194_304;

/** `fetch` from a given address. A response that is too large becomes the failure `payload_too_large`. */
export type InnerFetch = (address: string) => typeof globalThis.fetch;

const TOO_LARGE = JSON.stringify({
  ...{ success: false, error: "The response is too large.", code: "payload_too_large", params: {} },
  meta: { request_id: "" },
});

/** @param serve handles requests of the public server */
export function createInnerFetch(serve: Listener): InnerFetch {
  // Never listens: connections are handed to it.
  const server = createServer(serve);
  return (address) => async (url, init) => {
    const { far, near } = connection(address);
    server.emit("connection", far);
    try {
      const target = new URL(url instanceof Request ? url.url : url);
      const outgoing = request({
        ...{ createConnection: () => near, host: target.host },
        ...{ path: target.pathname + target.search, method: init?.method ?? "GET" },
        headers: init?.headers as Record<string, string>,
      });
      const response = await responseTo(outgoing, init?.body as string | undefined);
      const body = await bytesOf(response);
      if (body === null) return new Response(TOO_LARGE, { status: 413 });
      return new Response(body.length === 0 ? null : body, {
        status: response.statusCode ?? 500,
        headers: headersOf(response),
      });
    } finally {
      near.destroy();
      far.destroy();
    }
  };
}

/** Both ends of an in-memory connection; the server sees it coming from the address. */
function connection(address: string): { readonly far: Duplex; readonly near: Duplex } {
  const there = new PassThrough();
  const back = new PassThrough();
  const far = Duplex.from({ readable: there, writable: back });
  const near = Duplex.from({ readable: back, writable: there });
  for (const end of [far, near]) end.on("error", () => undefined);
  return { far: Object.assign(far, { remoteAddress: address }), near };
}

function responseTo(outgoing: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once("response", resolve).once("error", reject).end(body);
  });
}

/** Null if too large. */
async function bytesOf(response: IncomingMessage): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
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
