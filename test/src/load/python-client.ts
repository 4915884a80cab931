/** `npm run long -- python-client`: the OpenAPI document is good enough for a generator of another language. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { ROOT } from "@nts/local/processes/system";
import { aKey, anAccount } from "../support/api.js";
import { hasPython, preparePythonTool } from "../support/python-tools.js";
import { startStack } from "../support/stack.js";

const FOLDER = fileURLToPath(new URL("../../python-client/", import.meta.url));
const GENERATOR = "openapi-python-client";

/**
 * Generates the client, uses it, and returns whether that succeeded; without Python it reports that nothing was tried.
 */
export async function workInPython(): Promise<boolean> {
  if (!(await hasPython())) {
    console.error("SKIPPED: no client was made, because there is no python3 of 3.11 or newer.");
    return true;
  }
  const requirements = join(FOLDER, "requirements.txt");
  const generator = await preparePythonTool({ name: GENERATOR, requirements, report: console.log });
  const folder = await mkdtemp(join(tmpdir(), "python-client-"));
  const stack = await startStack();
  try {
    const document = join(ROOT, "shared/openapi.json");
    await execa(generator, [
      "generate",
      "--path",
      document,
      "--output-path",
      join(folder, "nts_api"),
      "--meta",
      "none",
    ]);
    const { secret } = await aKey(stack.url, await anAccount(stack.url));
    const env = { NTS_URL: stack.url, NTS_API_KEY: secret, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
    const python = join(dirname(generator), "python");
    const { exitCode } = await execa(python, [join(FOLDER, "work.py")], { env, reject: false, stdio: "inherit" });
    return exitCode === 0;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
}
