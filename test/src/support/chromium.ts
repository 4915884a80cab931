/**
 * The machine's own Chromium, which is installed on Debian when it is missing; preferably the headless shell, which
 * takes half of the processor time.
 */
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const INSTALL_MS = 300_000;

const HELP =
  "The browser tests need Chromium. Install it (Debian: sudo apt-get install chromium-headless-shell), or name the program in CHROMIUM.";

/** Starts the browser. @throws Error that says what to install */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    // Chromium's sandbox needs permissions that root in a container lacks; the pages are our own.
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
}

async function findChromium(): Promise<string> {
  const found = process.env["CHROMIUM"] ?? onPath();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) await install();
  const installed = onPath();
  if (installed === undefined) throw new Error(HELP);
  return installed;
}

function onPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Several suites may find it missing at once: one installs it, and the others wait. */
async function install(): Promise<void> {
  const options = { env: { DEBIAN_FRONTEND: "noninteractive" }, timeout: INSTALL_MS };
  const installing =
    "command -v chromium-headless-shell || { apt-get -q update && " +
    "apt-get -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends install chromium-headless-shell; }";
  try {
    await execa("flock", [join(tmpdir(), "nts-chromium.lock"), "sh", "-c", installing], options);
  } catch (error) {
    throw new Error(HELP, { cause: error });
  }
}
