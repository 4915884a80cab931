// Jest runs the compiled output of every workspace, without a transformer. Unit tests are next to the code; `test/src`
// contains the others. The last part of a suite's name is its tier: `test` or `long`, or that of one run of the long tier.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projects } from "../deploy/local/prepare.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));

export default {
  rootDir: root,
  roots: projects()
    .map((folder) => join(root, folder, "dist"))
    .filter((folder) => existsSync(folder)),
  testEnvironment: fileURLToPath(new URL("suites/environment.mjs", import.meta.url)),
  runtime: fileURLToPath(new URL("suites/runtime.cjs", import.meta.url)),
  testMatch: [`**/*.${process.env.NTS_SUITES ?? "test"}.js`],
  testSequencer: fileURLToPath(new URL("suite-order.mjs", import.meta.url)),
  transform: {},
  testTimeout: 300_000, // a busy machine is slow, not wrong
  maxWorkers: 4, // as in suite-order.mjs: two of them mostly wait; with more at work, requests exceed their deadlines
  workerIdleMemoryLimit: "1GB",
  watchman: false,
};
