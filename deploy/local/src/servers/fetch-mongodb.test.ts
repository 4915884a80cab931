import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findInCache } from "./cache.js";
import { fetchMongodb } from "./fetch-mongodb.js";
import { archiveFor, MONGODB_BUILD } from "./mongodb-builds.js";

const PROGRAM = "#!/bin/sh\necho db version v7.0.28\n";
const before = { ...process.env };

let folder: string;
let mirror: Server;
/** The file that the mirror serves. */
let archive: Buffer;
let pins: Record<string, string>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "fetch-mongodb-"));
  const bin = join(folder, "mongodb-some-build", "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "mongod"), PROGRAM);
  chmodSync(join(bin, "mongod"), 0o755);
  execFileSync("tar", ["-czf", join(folder, "archive.tgz"), "-C", folder, "mongodb-some-build"]);
  archive = readFileSync(join(folder, "archive.tgz"));
  const sha256 = createHash("sha256").update(archive).digest("hex");
  pins = { [archiveFor({ platform: process.platform, arch: process.arch }) ?? ""]: sha256 };
  mirror = createServer((request, response) => {
    if (request.url?.endsWith(".tgz") === true) response.end(archive);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => mirror.listen(0, "127.0.0.1", resolve));
  process.env["MONGODB_DOWNLOAD_URL"] = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
});

afterEach(async () => {
  process.env = { ...before };
  mirror.closeAllConnections();
  await new Promise((resolve) => mirror.close(resolve));
  rmSync(folder, { recursive: true });
});

describe("the MongoDB download", () => {
  it("is unpacked into the cache, from where the next start takes it", async () => {
    const { command } = await fetchMongodb({ pins });
    expect(execFileSync(command, { encoding: "utf8" })).toBe("db version v7.0.28\n");
    expect(await findInCache("mongod", { source: MONGODB_BUILD })).toEqual({ command, env: {} });
    expect(await findInCache("mongod", { source: "mongodb-7.0.1" })).toBeNull();
  });

  it("is rejected when its checksum differs from the pinned one", async () => {
    for (const path of Object.keys(pins)) pins[path] = "0".repeat(64);
    await expect(fetchMongodb({ pins })).rejects.toThrow("instead of the pinned 000");
    await expect(fetchMongodb({ pins: {} })).rejects.toThrow("is pinned, so it is not downloaded");
    expect(await findInCache("mongod")).toBeNull();
  });

  it("is refused over http", async () => {
    process.env["MONGODB_DOWNLOAD_URL"] = "http://mirror.example.com/mongodb";
    await expect(fetchMongodb({ pins })).rejects.toThrow("is refused, because it is not https");
  });

  it("reports when the server cannot be reached", async () => {
    process.env["MONGODB_DOWNLOAD_URL"] = "http://127.0.0.1:9";
    await expect(fetchMongodb({ pins })).rejects.toThrow("cannot be reached");
  });
});
