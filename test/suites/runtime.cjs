// Jest loads each suite, and all that it imports, into a realm of its own: it reads, compiles and evaluates every module
// again for every suite, which took longer than most suites. They are loaded by Node instead, once per worker. So they share
// what modules keep, and what they change of a module they put back.
const { createRequire, register } = require("node:module");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");
const Runtime = require("jest-runtime").default;

/** What the framework keeps in a realm, which was one suite's alone. */
const KEPT = ["JEST_STATE_SYMBOL", "EVENT_HANDLERS", "TEST_TIMEOUT_SYMBOL", "RETRY_TIMES", "RETRY_IMMEDIATELY"];

const GLOBALS = pathToFileURL(join(__dirname, "globals.mjs")).href;
const HOOK = `export const resolve = (specifier, context, next) =>
  specifier === "@jest/globals" ? { url: ${JSON.stringify(GLOBALS)}, shortCircuit: true } : next(specifier, context);`;

let isHooked = false;

module.exports = class SuiteRuntime extends Runtime {
  /** Loads the framework itself; each suite gets one that knows of no other. */
  requireInternalModule(from, to) {
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (KEPT.includes(symbol.description)) delete globalThis[symbol];
    for (const file of Object.keys(require.cache)) if (file.includes("jest-circus")) delete require.cache[file];
    return createRequire(from)(to ?? from);
  }

  async unstable_importModule(from) {
    if (!isHooked) register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
    isHooked = true;
    const { giveToSuite } = await import(GLOBALS);
    giveToSuite(this.jestGlobals.cjsGlobals(from));
    return import(pathToFileURL(from).href);
  }

  // The process is the worker's: nothing of it is replaced.
  installGetBuiltinModule() {}
};
