import type { IncomingMessage } from "node:http";
import { AppError } from "../errors.js";
import { BODY_LIMIT_BYTES } from "./headers.js";

const DEPTH_LIMIT = 32;

/**
 * Reads a JSON body: its size counted while it arrives, its depth before it is parsed.
 *
 * @throws AppError `unsupported_media_type` · `payload_too_large` · `malformed_json` · `validation_failed` (too deep)
 */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!isJson(request.headers["content-type"])) throw new AppError("unsupported_media_type");
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

/** `application/json`, with parameters or without; an other charset than UTF-8 is refused. */
function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const [type, ...parameters] = contentType.toLowerCase().split(";");
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="));
  return type?.trim() === "application/json" && (charset === undefined || /^charset="?utf-8"?$/.test(charset));
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
