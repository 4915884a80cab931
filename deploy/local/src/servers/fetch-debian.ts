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
  return withLists(signal, async (lists) => {
    const archives = await mkdtemp(join(lists, "archives-"));
    await mkdir(join(archives, "partial"));
    const own = [...optionsOf(lists), "-o", `Dir::Cache::archives=${archives}`];
    await aptGet([...own, "--no-install-recommends", "--download-only", "install", packageName], signal);
    return addToCache(async (folder) => {
      for (const file of await packageFiles(archives)) {
        await runTool("dpkg-deb", ["-x", join(archives, file), folder], { signal });
      }
      return { binary, program: await findProgram(folder, binary), libraries: await libraryFolders(folder) };
    });
  });
}

/** The lists of packages in a folder, which is removed after their last use. */
interface Lists {
  readonly folder: Promise<string>;
  readonly downloaded: Promise<void>;
  users: number;
}

/** Of all packages that are fetched side by side: downloading and reading the lists takes most of the time. */
let shared: Lists | null = null;

async function withLists<T>(signal: AbortSignal | undefined, use: (folder: string) => Promise<T>): Promise<T> {
  const lists = (shared ??= openLists(signal));
  lists.users += 1;
  try {
    await lists.downloaded;
    return await use(await lists.folder);
  } finally {
    lists.users -= 1;
    if (lists.users === 0) {
      shared = null;
      await rm(await lists.folder, { recursive: true, force: true });
    }
  }
}

function openLists(signal: AbortSignal | undefined): Lists {
  const folder = mkdtemp(join(tmpdir(), "nts-apt-"));
  return { folder, downloaded: folder.then((path) => downloadLists(path, signal)), users: 0 };
}

async function downloadLists(folder: string, signal: AbortSignal | undefined): Promise<void> {
  await mkdir(join(folder, "lists", "partial"), { recursive: true });
  await aptGet([...optionsOf(folder), "-o", "Acquire::Languages=none", "update"], signal);
}

function optionsOf(lists: string): string[] {
  return [
    ...["-q", "-y", "-o", `Dir::State::lists=${join(lists, "lists")}`, "-o", `Dir::Cache=${join(lists, "cache")}`],
    ...["-o", "Debug::NoLocking=1", "-o", "APT::Sandbox::User=", "-o", "Acquire::Retries=2"],
  ];
}

async function aptGet(args: string[], signal: AbortSignal | undefined): Promise<void> {
  await runTool("apt-get", args, { signal, env: { DEBIAN_FRONTEND: "noninteractive" } });
}

async function packageFiles(archives: string): Promise<string[]> {
  return (await readdir(archives)).filter((file) => file.endsWith(".deb"));
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
