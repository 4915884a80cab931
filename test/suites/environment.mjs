// What surrounds a suite: a realm of its own, or for suites that Node loads (runtime.cjs) that of the worker.
import { TestEnvironment } from "jest-environment-node";
import SuiteRuntime from "./runtime.cjs";

export default class SuiteEnvironment extends TestEnvironment {
  #before = null;

  constructor(config, context) {
    super(config, context);
    if (!SuiteRuntime.isLoadedByNode(context.testPath)) return;
    this.#before = { console: globalThis.console, exit: process.exit, env: { ...process.env } };
    this.global = globalThis;
  }

  /** What a suite has changed of the process is put back for the next one. */
  async teardown() {
    await super.teardown();
    if (this.#before === null) return;
    const { console, exit, env } = this.#before;
    globalThis.console = console;
    process.exit = exit;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
  }
}
