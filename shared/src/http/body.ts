import type { IncomingMessage } from "node:http";
import type { Endpoint } from "../contract/endpoint.js";
import { isOfType, type Upload, type UploadedBytes } from "../contract/upload.js";
import { AppError, validationFailed } from "../errors.js";
import { BODY_LIMIT_BYTES } from "./headers.js";
import { excessOf } from "./json-bounds.js";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

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
 * Reads a JSON body: its size counted while it arrives, its depth and its values before it is parsed.
 *
 * @param onBytes is shown them before they are parsed
 * @throws AppError `unsupported_media_type` · `payload_too_large` · `malformed_json` · `validation_failed` (too deep, too
 * many values)
 */
export async function readJsonBody(
  request: IncomingMessage,
  types: readonly string[],
  onBytes?: (bytes: Buffer) => void,
): Promise<unknown> {
  if (!isOfType(request.headers["content-type"], types)) throw new AppError("unsupported_media_type");
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

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) throw new AppError("payload_too_large");
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
