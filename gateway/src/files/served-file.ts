import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { isFresh } from "@nts/shared/http/conditions";
import type { Exchange } from "../edge/exchange.js";
import { HeaderList } from "../edge/header-list.js";
import { acceptedEncodings, chooseEncoding, type Encoding } from "./encoding.js";

// Files served from memory, kept once in every encoding.

const SMALLEST_COMPRESSED_BYTES = 1_024;
/** A twentieth of the time of the highest quality, for 10 % more bytes. */
const BROTLI_QUALITY = 6;

/** A file in each of its encodings. */
export interface ServedFile {
  readonly contents: Map<Encoding, Buffer>;
  /** Common to all encodings: caches distinguish them by `Vary`. */
  readonly etag: string;
  readonly contentType: string;
  readonly cacheControl: string;
  /** The request headers that select the response. */
  readonly vary: string;
  readonly status: 200 | 404;
  /** Further headers of the response. */
  readonly headers: HeaderList;
}

export type FileOptions = Pick<ServedFile, "contentType" | "cacheControl" | "headers"> & {
  readonly status?: 200 | 404;
};

/** A file that is not compressed yet. */
export function servedFile(content: Buffer, { status = 200, ...options }: FileOptions): ServedFile {
  return {
    ...options,
    status,
    contents: new Map([["identity", content]]),
    etag: `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`,
    vary: "Accept-Encoding",
  };
}

/** Adds the compressed encodings. */
export async function compress({ contents }: ServedFile): Promise<void> {
  const content = contents.get("identity");
  if (content === undefined || content.length < SMALLEST_COMPRESSED_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  contents.set("gzip", await promisify(gzip)(content));
  contents.set("br", await promisify(brotliCompress)(content, { params }));
}

/** Responds to GET or HEAD of a file. */
export function sendFile(exchange: Exchange, file: ServedFile): void {
  const { request } = exchange;
  const { contents, etag, contentType, cacheControl, vary, status } = file;
  const headers = HeaderList.of({ "Cache-Control": cacheControl, ETag: etag }).addAll(file.headers);
  // CORS may have named `Origin`.
  exchange.varyBy(vary);
  if (status === 200 && isFresh(request.headers, etag)) {
    exchange.respond(304, headers, null);
    return;
  }
  const encoding = chooseEncoding(acceptedEncodings(request.headers), new Set(contents.keys()));
  const content = contents.get(encoding) ?? Buffer.alloc(0);
  headers.add("Content-Type", contentType).add("Content-Length", content.length);
  if (encoding !== "identity") headers.add("Content-Encoding", encoding);
  exchange.respond(status, headers, request.method === "HEAD" ? null : content);
}
