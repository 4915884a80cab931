import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../contract/endpoint.js";
import { isOfType, type Upload, type UploadedBytes } from "../contract/upload.js";
import { AppError } from "../errors.js";
import { BODY_LIMIT_BYTES } from "./headers.js";

const DEPTH_LIMIT = 32;
const JSON_TYPES = ["application/json"];

/** Bytes that the body of an operation may have. */
export function bodyLimitOf({ upload }: Pick<Endpoint, "upload">): number {
  return upload?.limitBytes ?? BODY_LIMIT_BYTES;
}

/** What is told while a file is being read. */
export interface Reading {
  /** The first byte is asked for. */
  begins(): void;
  /** All of it has come. */
  ends(): void;
}

/**
 * The bytes of a file as they arrive, counted. Who stops reading early leaves the request as it is.
 *
 * @throws AppError `unsupported_media_type`; while it is read `payload_too_large` · `malformed_request` (it broke off)
 */
export function readUpload(request: IncomingMessage, upload: Upload, reading: Reading): UploadedBytes {
  if (!isOfType(request.headers["content-type"], upload.contentTypes)) throw new AppError("unsupported_media_type");
  return counted(request, upload.limitBytes, reading);
}

async function* counted(request: IncomingMessage, limitBytes: number, reading: Reading): AsyncGenerator<Buffer> {
  reading.begins();
  let bytes = 0;
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const next = await pieces.next().catch((cause: unknown) => {
      throw new AppError("malformed_request", {}, cause);
    });
    if (next.done === true) break;
    bytes += next.value.length;
    if (bytes > limitBytes) throw new AppError("payload_too_large");
    yield next.value;
  }
  reading.ends();
}

/**
 * Reads a JSON body: its size counted while it arrives, its depth before it is parsed.
 *
 * @throws AppError `unsupported_media_type` · `payload_too_large` · `malformed_json` · `validation_failed` (too deep)
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!isOfType(request.headers["content-type"], JSON_TYPES)) throw new AppError("unsupported_media_type");
  const text = await readText(request);
  if (depthOf(text) > DEPTH_LIMIT)
    throw new AppError("validation_failed", {
      errors: [{ path: "", message: `must not be nested deeper than ${DEPTH_LIMIT} levels` }],
    });
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError("malformed_json");
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw new AppError("payload_too_large");
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new AppError("malformed_json");
  }
}

/** Greatest nesting of arrays and objects; right for any valid JSON, and never less than the parser would meet. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === 0x22) i = endOfString(json, i);
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** Index of the quote that ends the string starting at `start`; the end of the text when none does. */
function endOfString(json: string, start: number): number {
  let i = start + 1;
  while (i < json.length && json.charCodeAt(i) !== 0x22) i += json.charCodeAt(i) === 0x5c ? 2 : 1;
  return i;
}
