// The environment of a suite: the realm of the worker, since Node.js loads the suites (runtime.cjs).
import { ModernFakeTimers } from "@jest/fake-timers";
import fc from "fast-check";
import { TestEnvironment } from "jest-environment-node";
import { noteSuite, processorSeconds } from "../processor-seconds.mjs";

// See sample-seed.ts. Only the long tier is given a seed, and tries more.
const { SEED } = process.env;
fc.configureGlobal({ seed: Number(SEED ?? 1), numRuns: SEED === undefined ? 30 : 1_000 });

export default class SuiteEnvironment extends TestEnvironment {
  #before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };
  #secondsBefore = processorSeconds();
  #suite;

  constructor(config, context) {
    super(config, context);
    this.#suite = context.testPath;
    this.global = globalThis;
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  /** Restores the process for the next suite. */
  async teardown() {
    await super.teardown();
    const { console, exit, env } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    noteSuite(this.#suite, processorSeconds() - this.#secondsBefore);
  }
}
