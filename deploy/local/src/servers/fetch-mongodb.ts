import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { addToCache, type Runnable } from "./cache.js";
import { archiveFor, MONGODB_BUILD } from "./mongodb-builds.js";
import { runTool, ToolFailure } from "./tool.js";

const DOWNLOADS = "https://fastdl.mongodb.org";
const CHECKSUM_MS = 15_000;
const ARCHIVE_MS = 10 * 60_000;

/**
 * Downloads mongod from MongoDB, or the mirror in MONGODB_DOWNLOAD_URL, and verifies the SHA-256 published next to the
 * archive.
 *
 * @throws ToolFailure if there is no build for this machine, it is unavailable, or its checksum differs
 */
export async function fetchMongodb(signal?: AbortSignal): Promise<Runnable> {
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => "");
  const path = archiveFor({ platform: process.platform, arch: process.arch, osRelease });
  if (path === null) throw new ToolFailure(`MongoDB has no build for ${process.platform} on ${process.arch}`);
  const url = `${process.env["MONGODB_DOWNLOAD_URL"] ?? DOWNLOADS}/${path}`;
  const work = await mkdtemp(join(tmpdir(), "nts-mongodb-"));
  try {
    const published = await publishedChecksum(`${url}.sha256`, signal);
    const archive = join(work, basename(path));
    const actual = await download(url, archive, signal);
    if (actual !== published)
      throw new ToolFailure(`${url} has SHA-256 ${actual} instead of the published ${published}`);
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

async function publishedChecksum(url: string, signal?: AbortSignal): Promise<string> {
  const text = await (await get(url, CHECKSUM_MS, signal)).text();
  const checksum = /^[0-9a-f]{64}(?=\s)/.exec(text)?.[0];
  if (checksum === undefined) throw new ToolFailure(`${url} is no checksum`);
  return checksum;
}

/** @returns the SHA-256 of the written file */
async function download(url: string, file: string, signal?: AbortSignal): Promise<string> {
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

async function get(url: string, ms: number, signal?: AbortSignal): Promise<Response> {
  const limits = [AbortSignal.timeout(ms), ...(signal === undefined ? [] : [signal])];
  const response = await fetch(url, { signal: AbortSignal.any(limits) }).catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    throw new ToolFailure(`${url} cannot be reached (${code ?? (error as Error).message})`);
  });
  if (!response.ok || response.body === null) throw new ToolFailure(`${url} returned ${response.status}`);
  return response;
}
