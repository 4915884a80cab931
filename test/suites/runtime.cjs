// Jest evaluates every module again in a realm for each suite, which took longer than most suites. Node.js loads them
// instead, once per worker; suites therefore share module state, and restore what they change.
const asyncHooks = require("node:async_hooks");
const { createRequire, register } = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const Runtime = require("jest-runtime").default;

/** State of the framework that belongs to a realm, and thus to one suite. */
const KEPT = ["JEST_STATE_SYMBOL", "EVENT_HANDLERS", "TEST_TIMEOUT_SYMBOL", "RETRY_TIMES", "RETRY_IMMEDIATELY"];

const GLOBALS = pathToFileURL(join(__dirname, "globals.mjs")).href;
const HOOK = `export const resolve = (specifier, context, next) =>
  specifier === "@jest/globals" ? { url: ${JSON.stringify(GLOBALS)}, shortCircuit: true } : next(specifier, context);`;

/**
 * What the framework uses to know which test runs. Node.js would follow it through every promise: an `await` takes 4 times
 * as long with the storage of one suite, and 100 times with those of all suites of a worker. Here, tests run one by one.
 */
class CurrentTest {
  #current;

  getStore() {
    return this.#current;
  }

  run(current, action) {
    const before = this.#current;
    this.#current = current;
    return action().finally(() => (this.#current = before));
  }
}

let isHooked = false;

module.exports = class SuiteRuntime extends Runtime {
  /** Loads the framework itself; each suite gets a fresh one. */
  requireInternalModule(from, to) {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (KEPT.includes(symbol.description)) delete globalThis[symbol];
    for (const file of Object.keys(require.cache)) if (file.includes("jest-circus")) delete require.cache[file];
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = CurrentTest;
    try {
      return createRequire(from)(to ?? from);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  async unstable_importModule(from) {
    if (!isHooked) register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
    isHooked = true;
    const { giveToSuite } = await import(GLOBALS);
    giveToSuite(this.jestGlobals.cjsGlobals(from));
    return import(pathToFileURL(from).href);
  }

  // The process belongs to the worker: nothing of it is replaced.
  installGetBuiltinModule() {}
};
