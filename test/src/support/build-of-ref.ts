/** Builds the system of another git ref outside of the repository, for comparison. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, symlink } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { execa } from "execa";
import { type createProcess, ROOT } from "@nts/local/processes/system";
import type { startStack } from "./stack.js";

/** A build, started like the tests of that build do. */
export interface Build {
  /** Short form of the commit, or "here". */
  readonly name: string;
  readonly startStack: typeof startStack;
  /** Creates a process of this build with its own environment, for a system of any build. */
  readonly createProcess: typeof createProcess;
}

/** The build in this folder. */
export function buildHere(): Promise<Build> {
  return buildIn(ROOT, "here");
}

/**
 * Builds a ref in the temporary folder, once for each commit, in some minutes. @throws Error when git does not know the
 * ref or it does not compile
 */
export async function buildOfRef(ref: string): Promise<Build> {
  const { stdout: commit } = await git("rev-parse", "--verify", `${ref}^{commit}`);
  const folder = join(tmpdir(), `nts-builds-${userInfo().uid}`, commit);
  if (!existsSync(folder)) {
    await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
    // Moved into place when it is complete.
    const unfinished = await mkdtemp(`${folder}-`);
    await execa("bash", ["-c", 'set -o pipefail; git archive "$1" | tar -x -C "$2"', "bash", commit, unfinished], {
      cwd: ROOT,
    });
    await rename(unfinished, folder);
  }
  if (!existsSync(join(folder, "node_modules"))) await linkModules(folder);
  console.log(`Building ${commit.slice(0, 9)} in ${folder} …`);
  await execa(process.execPath, [join(folder, "node_modules/typescript/bin/tsc"), "-b", "test"], { cwd: folder });
  await execa(process.execPath, [join(folder, "deploy/local/bundle.mjs")], { cwd: folder });
  return buildIn(folder, commit.slice(0, 9));
}

async function buildIn(folder: string, name: string): Promise<Build> {
  const load = (file: string): Promise<unknown> => import(pathToFileURL(join(folder, file)).href);
  const [stack, system] = await Promise.all([
    load("test/dist/support/stack.js") as Promise<Pick<Build, "startStack">>,
    load("deploy/local/dist/processes/system.js") as Promise<Pick<Build, "createProcess">>,
  ]);
  return {
    ...{ name, startStack: stack.startStack, createProcess: system.createProcess },
  };
}

/** Links the packages installed here when the ref has the same ones; installs its own otherwise. */
async function linkModules(folder: string): Promise<void> {
  const [own, here] = await Promise.all([installedBy(folder), installedBy(ROOT)]);
  if (own !== here) {
    await execa("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
    return;
  }
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@nts"), { recursive: true });
  for (const entry of await readdir(join(ROOT, "node_modules")))
    if (entry !== "@nts") await symlink(join(ROOT, "node_modules", entry), join(modules, entry));
  const { workspaces } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { workspaces: string[] };
  for (const workspace of workspaces) {
    const { name } = JSON.parse(await readFile(join(folder, workspace, "package.json"), "utf8")) as { name: string };
    await symlink(join(folder, workspace), join(modules, name));
    const nested = join(workspace, "node_modules");
    if (existsSync(join(ROOT, nested))) await symlink(join(ROOT, nested), join(folder, nested));
  }
}

/** The third-party packages of a lock file. */
async function installedBy(folder: string): Promise<string> {
  const text = await readFile(join(folder, "package-lock.json"), "utf8");
  const { packages } = JSON.parse(text) as { packages: Record<string, { link?: boolean }> };
  const others = Object.entries(packages).filter(([path, { link }]) => path.includes("node_modules/") && link !== true);
  return JSON.stringify(others);
}

function git(...args: string[]): Promise<{ stdout: string }> {
  return execa("git", args, { cwd: ROOT });
}
