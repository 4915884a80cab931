import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../contract/endpoint.js";
import { BYTES, isOfType, type Upload, type UploadedBytes } from "../contract/upload.js";
import { AppError, validationFailed } from "../errors.js";
import { BODY_LIMIT_BYTES } from "./headers.js";
import { excessOf } from "./json-bounds.js";
import { limited } from "./limited.js";
import { prefersJob } from "./preferences.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Maximum bytes of the body of a request. */
export function bodyLimitOf({ upload }: Pick<Endpoint, "upload">, headers: IncomingHttpHeaders): number {
  if (upload === undefined) return BODY_LIMIT_BYTES;
  const { limitBytes, jobLimitBytes = limitBytes } = upload;
  return prefersJob(headers) ? jobLimitBytes : limitBytes;
}

/** Notified while an upload is read. */
export interface Reading {
  /** The first byte is requested. */
  begins(): void;
  /** The upload is complete. */
  ends(): void;
}

/**
 * The bytes of an upload as they arrive. What a reader that stops early leaves is discarded after the response:
 * otherwise the next request of the connection would never be read.
 *
 * @throws AppError `unsupported_media_type`; while reading `payload_too_large` · `malformed_request` (disconnected)
 */
export function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  upload: Upload,
  reading: Reading,
): UploadedBytes {
  // Programs send files without a type, which means bytes (RFC 9110, section 8.3).
  requireType(request, upload.contentTypes, BYTES);
  response.once("finish", () => request.resume());
  return counted(request, bodyLimitOf({ upload }, request.headers), reading);
}

async function* counted(request: IncomingMessage, limitBytes: number, reading: Reading): AsyncGenerator<Buffer> {
  reading.begins();
  try {
    yield* limited(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>, limitBytes);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError("malformed_request", {}, error);
  }
  reading.ends();
}

/**
 * Reads a JSON body, limiting its size while it arrives, and depth and number of values before parsing.
 *
 * @param onBytes receives the body before it is parsed
 * @throws AppError `unsupported_media_type` · `payload_too_large` · `malformed_json` · `validation_failed` (too deep,
 * too many values)
 */
export async function readJsonBody(
  request: IncomingMessage,
  types: readonly string[],
  onBytes?: (bytes: Buffer) => void,
): Promise<unknown> {
  requireType(request, types);
  const bytes = await readBytes(request);
  onBytes?.(bytes);
  const excess = excessOf(bytes);
  if (excess !== null) throw validationFailed({ path: "", message: excess });
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    throw new AppError("malformed_json");
  }
}

/** Bodies are not decompressed: their limits are those of what is sent. */
function requireType({ headers }: IncomingMessage, types: readonly string[], usual?: string): void {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity" || !isOfType(headers["content-type"] ?? usual, types))
    throw new AppError("unsupported_media_type");
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(request as AsyncIterable<Buffer>, BODY_LIMIT_BYTES)) chunks.push(chunk);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
