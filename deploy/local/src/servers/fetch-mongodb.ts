import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { addToCache, type Runnable } from "./cache.js";
import { archiveFor, MONGODB_BUILD, MONGODB_SHA256 } from "./mongodb-builds.js";
import { runTool, ToolFailure } from "./tool.js";

const DOWNLOADS = "https://fastdl.mongodb.org";
const ARCHIVE_MS = 10 * 60_000;

export interface MongodbDownload {
  readonly signal?: AbortSignal | undefined;
  /** The SHA-256 of the archives that may be downloaded, by their path. */
  readonly pins?: Readonly<Record<string, string>>;
}

/**
 * Downloads mongod from MongoDB, or the mirror in MONGODB_DOWNLOAD_URL, and verifies its pinned SHA-256.
 *
 * @throws ToolFailure if there is no pinned build for this machine, it is unavailable, or its checksum differs
 */
export async function fetchMongodb({ signal, pins = MONGODB_SHA256 }: MongodbDownload = {}): Promise<Runnable> {
  const path = archiveFor({ platform: process.platform, arch: process.arch });
  if (path === null) throw new ToolFailure(`MongoDB has no build for ${process.platform} on ${process.arch}`);
  const pinned = pins[path];
  if (pinned === undefined) throw new ToolFailure(`no checksum of ${path} is pinned, so it is not downloaded`);
  const url = `${process.env["MONGODB_DOWNLOAD_URL"] ?? DOWNLOADS}/${path}`;
  const work = await mkdtemp(join(tmpdir(), "nts-mongodb-"));
  try {
    const archive = join(work, basename(path));
    const actual = await download(url, archive, signal);
    if (actual !== pinned) throw new ToolFailure(`${url} has SHA-256 ${actual} instead of the pinned ${pinned}`);
    const content = join(work, "content");
    await mkdir(content);
    await runTool("tar", ["-xzf", archive, "-C", content], { signal });
    const [top = ""] = await readdir(content);
    return await addToCache(async (folder) => {
      await copyFile(join(content, top, "bin", "mongod"), join(folder, "mongod"));
      await chmod(join(folder, "mongod"), 0o755);
      return { binary: "mongod", program: "mongod", libraries: [], source: MONGODB_BUILD };
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @returns the SHA-256 of the written file */
export async function download(url: string, file: string, signal?: AbortSignal): Promise<string> {
  const { body } = await get(url, ARCHIVE_MS, signal);
  const hash = createHash("sha256");
  const hashed = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      hash.update(piece);
      yield piece;
    }
  };
  const pieces = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(pieces, hashed, createWriteStream(file)).catch((error: unknown) => {
    throw new ToolFailure(`${url} broke off (${(error as Error).message})`);
  });
  return hash.digest("hex");
}

/** Only https, also after a redirection; http of this machine is not a way that others can change. */
async function get(url: string, ms: number, signal?: AbortSignal): Promise<Response> {
  requireEncrypted(url);
  const limits = [AbortSignal.timeout(ms), ...(signal === undefined ? [] : [signal])];
  const response = await fetch(url, { signal: AbortSignal.any(limits) }).catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    throw new ToolFailure(`${url} cannot be reached (${code ?? (error as Error).message})`);
  });
  requireEncrypted(response.url);
  if (!response.ok || response.body === null) throw new ToolFailure(`${url} returned ${response.status}`);
  return response;
}

function requireEncrypted(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
  if (protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "[::1]", "localhost"].includes(hostname))) return;
  throw new ToolFailure(`${url} is refused, because it is not https`);
}
