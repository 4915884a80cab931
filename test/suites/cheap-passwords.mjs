// Loaded by identity processes of suites, which register many accounts and attack no password: new hashes are cheap, and
// the password of most accounts is strong without loading the dictionaries (0.8 s of a processor).
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

const CHEAP = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const STRENGTH = new URL("cheap-strength.mjs", import.meta.url);

threads.Worker = class extends threads.Worker {
  constructor(module, options) {
    if (String(module).endsWith("/strength-worker.js"))
      super(STRENGTH, { ...options, workerData: String(module), execArgv: [] });
    else super(module, { ...options, execArgv: [] });
  }

  postMessage(message, ...others) {
    super.postMessage(message?.cost === undefined ? message : { ...message, cost: CHEAP }, ...others);
  }
};
syncBuiltinESMExports();
