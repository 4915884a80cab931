import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { z } from "zod";
import { type AppError, type ErrorParams } from "../errors.js";
import type { Answer, FileInfo, PageInfo } from "./answer.js";
import { INTERNAL } from "./headers.js";
import { STATUSES } from "./statuses.js";

const JSON_TYPE = "application/json; charset=utf-8";
const [OPEN, CLOSE, COMMA] = ["[", "]", ","].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
const STALLED_CLIENT_MS = 30_000;

/** Sends a bare answer of a service: the data alone; what belongs to the envelope travels in headers. */
export async function sendAnswer(response: ServerResponse, schema: z.ZodType, given: Answer<unknown>): Promise<void> {
  for (const [name, value] of Object.entries(given.headers ?? {})) response.setHeader(name, value);
  if (given.revision !== undefined) response.setHeader("etag", `"${given.revision}"`);
  switch (given.kind) {
    case "data":
      sendJson(response, 200, JSON.stringify(schema.parse(given.data)));
      break;
    case "json":
      sendJson(response, 200, given.json);
      break;
    case "items":
      setPage(response, given.page);
      sendJson(response, 200, `[${given.items.map((item) => JSON.stringify(schema.parse(item))).join(",")}]`);
      break;
    case "rows":
      setPage(response, given.page);
      sendJson(response, 200, Buffer.concat([OPEN, joined(given.rows), CLOSE]));
      break;
    case "stream":
      await sendStream(response, given.batches, given.offset);
      break;
    case "pieces":
      await sendPieces(response, given.pieces, given.file);
  }
}

/** Sends a failure as a service does: `{error, code, params}`, always with a length. */
export function sendError(response: ServerResponse, error: AppError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Of the answer that the failure takes the place of.
  for (const name of ["etag", "trailer", "content-disposition"]) response.removeHeader(name);
  const waitSeconds = error.params["retry_after_seconds"] ?? (error.code === "unavailable" ? 1 : undefined);
  if (typeof waitSeconds === "number") response.setHeader("retry-after", waitSeconds);
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

function setPage(response: ServerResponse, page: PageInfo): void {
  response.setHeader(INTERNAL.listTotal, page.total);
  response.setHeader(INTERNAL.listLimit, page.limit);
  response.setHeader(INTERNAL.listOffset, page.offset);
}

/**
 * The total goes into a trailer, so that it cannot differ from the rows; what stands before the offset is counted with
 * them. A client that stops reading is dropped.
 */
async function sendStream(
  response: ServerResponse,
  batches: AsyncIterable<readonly Buffer[]>,
  offset: number,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("content-type", JSON_TYPE);
  response.setHeader(INTERNAL.listLimit, 0);
  response.setHeader(INTERNAL.listOffset, offset);
  if (response.req.method === "HEAD") {
    response.end();
    return;
  }
  response.setHeader("trailer", INTERNAL.listTotal);
  let total = 0;
  let before = OPEN;
  for await (const batch of batches) {
    const rows = batch.slice(Math.max(0, offset - total));
    total += batch.length;
    if (rows.length === 0) continue;
    if (!(await isTaken(response, Buffer.concat([before, joined(rows)])))) return;
    before = COMMA;
  }
  response.addTrailers({ [INTERNAL.listTotal]: String(total) });
  response.end(before === OPEN ? "[]" : CLOSE);
}

async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string> | Iterable<string>,
  file: FileInfo | null,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader("content-type", file === null ? JSON_TYPE : `${file.mediaType}; charset=utf-8`);
  if (file !== null) response.setHeader("content-disposition", `attachment; filename="${file.fileName}"`);
  if (response.req.method !== "HEAD") for await (const piece of pieces) if (!(await isTaken(response, piece))) return;
  response.end();
}

/** Sends a piece and waits until the client takes more. @returns false when it has gone, or been answered otherwise */
async function isTaken(response: ServerResponse, piece: Buffer | string): Promise<boolean> {
  if (response.writableEnded) return false;
  if (!response.write(piece)) await once(response, "drain", { signal: AbortSignal.timeout(STALLED_CLIENT_MS) });
  return !response.destroyed;
}

/** The rows with commas between them. */
function joined(rows: readonly Buffer[]): Buffer {
  return Buffer.concat(rows.flatMap((row, index) => (index === 0 ? [row] : [COMMA, row])));
}
