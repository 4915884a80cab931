import type { ServerResponse } from "node:http";
import type { Endpoint } from "../contract/endpoint.js";
import { MERGE_PATCH_TYPE } from "../contract/upload.js";
import type { AppError, ErrorParams } from "../errors.js";
import type { HandlerResponse, FileInfo, ListPart, Paging } from "./respond.js";
import { END_OF_LIST, INTERNAL, RESPOND_ASYNC } from "./headers.js";
import { retryAfterSeconds, STATUSES } from "./statuses.js";
import { DEADLINES } from "../timing.js";

const JSON_TYPE = "application/json; charset=utf-8";
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");
const WHOLE_BYTES = 1_048_576;

/** Sends a service's response: the bare data; envelope metadata travels in headers. */
export async function sendResponse(
  response: ServerResponse,
  { response: schema, accepted }: Pick<Endpoint, "response" | "accepted">,
  given: HandlerResponse<unknown>,
): Promise<void> {
  for (const [name, value] of Object.entries(given.headers ?? {})) response.setHeader(name, value);
  if (given.revision !== undefined) response.setHeader("etag", `"${given.revision}"`);
  switch (given.kind) {
    case "data":
      sendJson(response, 200, JSON.stringify(schema.parse(given.data)));
      break;
    case "json":
      sendJson(response, 200, given.json);
      break;
    case "redirect":
      response.writeHead(303, { location: given.location, "content-length": 0 }).end();
      break;
    case "accepted":
      response.setHeader("location", given.location);
      response.setHeader("preference-applied", RESPOND_ASYNC);
      sendJson(response, 202, JSON.stringify((accepted ?? schema).parse(given.job)));
      break;
    case "list":
      await sendList(response, given.parts, given.paging);
      break;
    case "pieces":
      await sendPieces(response, given.pieces, given.file);
  }
}

/** Sends a service's failure: `{error, code, params}`, always with a length. */
export function sendError(response: ServerResponse, error: AppError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Headers of the response that the failure replaces.
  for (const name of ["etag", "trailer", "content-disposition", INTERNAL.meta]) response.removeHeader(name);
  const waitSeconds = retryAfterSeconds(error);
  if (waitSeconds !== null) response.setHeader("retry-after", waitSeconds);
  if (error.code === "unsupported_media_type" && response.req.method === "PATCH")
    response.setHeader("accept-patch", MERGE_PATCH_TYPE);
  sendJson(response, STATUSES[error.code], errorBody(error));
}

/** The JSON text of a failure. */
export function errorBody(error: { message: string; code: string; params: ErrorParams }): string {
  return JSON.stringify({ error: error.message, code: error.code, params: error.params });
}

function sendJson(response: ServerResponse, status: number, json: string | Buffer): void {
  response.statusCode = status;
  response.setHeader("content-type", JSON_TYPE);
  response.setHeader("content-length", Buffer.byteLength(json));
  response.end(json);
}

/**
 * Sends a list of up to 1 MiB at once, and a longer one while it is read, so that memory stays bounded. If the parts
 * include the total, that of a long list is sent as a trailer. A client that stops reading is disconnected.
 */
async function sendList(
  response: ServerResponse,
  parts: AsyncIterable<ListPart>,
  { total, limit, offset, next = () => null }: Paging,
): Promise<void> {
  if (response.req.method === "HEAD" && total === null) {
    setList(response, { limit, offset });
    response.setHeader("content-type", JSON_TYPE);
    await discard(parts);
    response.end();
    return;
  }
  const reading = parts[Symbol.asyncIterator]();
  try {
    const [start, counted] = await Promise.all([gathered(reading), total === null ? null : total()]);
    if (response.headersSent) return;
    setList(response, { limit, offset });
    if (counted !== null || start.isAll) response.setHeader(INTERNAL.listTotal, counted ?? start.rows);
    if (start.isAll) {
      response.setHeader(INTERNAL.listNext, next() ?? END_OF_LIST);
      sendJson(response, 200, Buffer.concat([OPEN, ...start.texts, CLOSE]));
    } else
      await sendRest(response, {
        ...{ reading, before: start.texts, rows: start.rows },
        ...{ includesTotal: counted !== null, next },
      });
  } finally {
    await reading.return?.();
  }
}

interface Rest {
  readonly reading: AsyncIterator<ListPart>;
  /** What has been read of the list already, which is emptied: this function may keep it for as long as it runs. */
  readonly before: Buffer[];
  readonly rows: number;
  /** The headers include the total. */
  readonly includesTotal: boolean;
  readonly next: () => string | null;
}

async function sendRest(
  response: ServerResponse,
  { reading, before, rows, includesTotal, next: nextCursor }: Rest,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("content-type", JSON_TYPE);
  response.setHeader("trailer", [...(includesTotal ? [] : [INTERNAL.listTotal]), INTERNAL.listNext].join(", "));
  before.unshift(OPEN);
  for (let text = before.shift(); text !== undefined; text = before.shift())
    if (!(await isTaken(response, text))) return;
  let total = rows;
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) {
    total += next.value.rows;
    if (next.value.text.length > 0 && !(await isTaken(response, next.value.text))) return;
  }
  response.addTrailers({
    ...(!includesTotal && { [INTERNAL.listTotal]: String(total) }),
    [INTERNAL.listNext]: nextCursor() ?? END_OF_LIST,
  });
  response.end(CLOSE);
}

interface Gathered {
  readonly texts: Buffer[];
  readonly rows: number;
  readonly isAll: boolean;
}

/** The first parts of a list, up to 1 MiB. */
async function gathered(reading: AsyncIterator<ListPart>): Promise<Gathered> {
  const texts: Buffer[] = [];
  let rows = 0;
  let bytes = 0;
  while (bytes < WHOLE_BYTES) {
    const next = await reading.next();
    if (next.done === true) return { texts, rows, isAll: true };
    const { text, rows: more } = next.value;
    // Without the comma before the first row.
    if (text.length > 0) texts.push(texts.length === 0 ? text.subarray(1) : text);
    rows += more;
    bytes += text.length;
  }
  return { texts, rows, isAll: false };
}

function setList(response: ServerResponse, { limit, offset }: Pick<Paging, "limit" | "offset">): void {
  response.setHeader(INTERNAL.listLimit, limit);
  response.setHeader(INTERNAL.listOffset, offset);
}

async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Buffer> | Iterable<string>,
  file: FileInfo | null,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("content-type", file === null ? JSON_TYPE : `${file.mediaType}; charset=utf-8`);
  if (file !== null && file.fileName !== null)
    response.setHeader("content-disposition", `attachment; filename="${file.fileName}"`);
  if (response.req.method === "HEAD") await discard(pieces);
  else for await (const piece of pieces) if (!(await isTaken(response, piece))) return;
  response.end();
}

/** Lets go of what a response holds that is not sent. */
export async function discardResponse(given: HandlerResponse<unknown>): Promise<void> {
  if (given.kind === "pieces") await discard(given.pieces);
  if (given.kind === "list") await discard(given.parts);
}

/** Lets go of what unread pieces hold. */
async function discard(pieces: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  const reading = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  await reading.return?.();
}

/** Sends a piece and waits until the client accepts more. @returns false if it disconnected or got another response */
async function isTaken(response: ServerResponse, piece: Buffer | string): Promise<boolean> {
  if (response.writableEnded || response.destroyed) return false;
  if (!response.write(piece)) await drained(response);
  return !response.destroyed;
}

/** Resolves when the client accepts more or has disconnected; one that stalls for too long is disconnected. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), DEADLINES.stalledMs);
    const end = (): void => {
      clearTimeout(timer);
      response.off("drain", end).off("close", end);
      resolve();
    };
    response.on("drain", end).on("close", end);
  });
}
