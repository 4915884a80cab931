// `npm run pins:mongodb -- 7.0.31`: prints the checksums of MongoDB's archives for mongodb-builds.ts. Each archive is
// downloaded, and its signature is checked with the release key whose fingerprint is below. Needs gpg.
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveFor } from "./dist/servers/mongodb-builds.js";

const DOWNLOADS = "https://fastdl.mongodb.org";
// As published by MongoDB, and as pinned by the official images.
const KEYS = {
  "7.0": { url: "https://pgp.mongodb.com/server-7.0.asc", fingerprint: "E58830201F7DD82CD808AA84160D26BB1785BA38" },
};

const [version = ""] = process.argv.slice(2);
const key = KEYS[version.split(".").slice(0, 2).join(".")];
if (key === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error(`usage: npm run pins:mongodb -- VERSION, of ${Object.keys(KEYS).join(", ")}`);
  process.exit(2);
}

const home = mkdtempSync(join(tmpdir(), "nts-pins-"));
try {
  gpg(["--import"], await bytesOf(key.url));
  for (const platform of ["linux", "darwin"])
    for (const arch of ["x64", "arm64"]) {
      const path = archiveFor({ platform, arch }, version);
      const archive = await bytesOf(`${DOWNLOADS}/${path}`);
      writeFileSync(join(home, "archive.sig"), await bytesOf(`${DOWNLOADS}/${path}.sig`));
      const status = gpg(["--status-fd", "1", "--verify", join(home, "archive.sig"), "-"], archive);
      const signers = [...status.matchAll(/^\[GNUPG:\] VALIDSIG .*?(\w{40})$/gm)].map(([, primary]) => primary);
      if (!signers.includes(key.fingerprint)) throw new Error(`${path} is not signed with ${key.fingerprint}`);
      console.log(`  "${path}": "${createHash("sha256").update(archive).digest("hex")}",`);
    }
} finally {
  rmSync(home, { recursive: true, force: true });
}

function gpg(args, input) {
  const options = { input, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"], maxBuffer: 1024 * 1024 };
  return execFileSync("gpg", ["--batch", "--homedir", home, ...args], options);
}

async function bytesOf(url) {
  const response = await fetch(url);
  if (!response.ok || !response.url.startsWith("https:")) throw new Error(`${url} returned ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
