/** Requests to a service itself, whose responses have no envelope. */
import { type IncomingMessage, request as httpRequest } from "node:http";
import { INTERNAL } from "@nts/shared/http/headers";
import type { ServiceResponse } from "./topology.js";

/** A request with Node's own client, which exposes trailers; they are returned among the headers. */
export function exchange(body: string | undefined, options: object): Promise<ServiceResponse<unknown>> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(options, (response) => {
      read(response).then(resolve, reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

async function read(response: IncomingMessage): Promise<ServiceResponse<unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
  // The service has begun `meta`, which the gateway completes.
  const isOpen = response.headers[INTERNAL.meta] === "open";
  const whole = (isOpen ? JSON.parse(`{"data":${text}}}`) : {}) as {
    data?: unknown;
    meta?: ServiceResponse<unknown>["meta"];
  };
  const json: unknown = isOpen ? whole.data : text === "" || !isJson ? null : JSON.parse(text);
  const failure = json as { code: string; params: Record<string, unknown> };
  const { statusCode: status = 0, headers, trailers } = response;
  const said = status >= 400 ? { code: failure.code, params: failure.params } : { code: "", params: {} };
  const etag = headers.etag;
  return {
    status,
    data: json,
    meta: whole.meta ?? {},
    ...said,
    etag,
    text,
    headers: { ...headers, ...(trailers as object) },
  };
}
