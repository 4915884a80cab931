/**
 * Downloads a Debian or Ubuntu package with its dependencies and unpacks it into the cache. apt selects and verifies
 * the packages, but nothing is installed: no root rights, no system service, no change to the machine.
 */
import { access, mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { addToCache, type Runnable } from "./cache.js";
import type { ServerName } from "./catalogue.js";
import { runTool, ToolFailure } from "./tool.js";

/** @throws ToolFailure if this is no Debian, or the package is unavailable */
export async function fetchDebian(binary: ServerName, packageName: string, signal?: AbortSignal): Promise<Runnable> {
  const work = await mkdtemp(join(tmpdir(), "nts-apt-"));
  try {
    await downloadPackages(work, packageName, signal);
    return await addToCache(async (folder) => {
      for (const file of await packageFiles(work)) {
        await runTool("dpkg-deb", ["-x", join(archivesOf(work), file), folder], { signal });
      }
      return { binary, program: await findProgram(folder, binary), libraries: await libraryFolders(folder) };
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function downloadPackages(work: string, packageName: string, signal?: AbortSignal): Promise<void> {
  await mkdir(join(work, "lists", "partial"), { recursive: true });
  await mkdir(join(archivesOf(work), "partial"), { recursive: true });
  const own = [
    ...["-q", "-y", "-o", `Dir::State::lists=${join(work, "lists")}`, "-o", `Dir::Cache=${join(work, "cache")}`],
    ...["-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=2"],
  ];
  const quiet = { signal, env: { DEBIAN_FRONTEND: "noninteractive" } };
  await runTool("apt-get", [...own, "update"], quiet);
  await runTool("apt-get", [...own, "--no-install-recommends", "--download-only", "install", packageName], quiet);
}

async function packageFiles(work: string): Promise<string[]> {
  return (await readdir(archivesOf(work))).filter((file) => file.endsWith(".deb"));
}

function archivesOf(work: string): string {
  return join(work, "cache", "archives");
}

/** The real file, as the program may be a symlink, and the hash is of what is executed. */
async function findProgram(folder: string, binary: ServerName): Promise<string> {
  for (const place of ["usr/bin", "usr/sbin"]) {
    const path = join(place, binary);
    if (await exists(join(folder, path))) return path;
  }
  throw new ToolFailure(`the downloaded packages do not contain ${binary}`);
}

async function libraryFolders(folder: string): Promise<string[]> {
  const base = join(folder, "usr", "lib");
  const entries = await readdir(base, { withFileTypes: true }).catch(() => []);
  const triplets = entries.filter((entry) => entry.isDirectory() && entry.name.includes("-linux-"));
  return Promise.all(
    triplets.map(async ({ name }) => relative(await realpath(folder), await realpath(join(base, name)))),
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
