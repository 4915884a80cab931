import { text } from "node:stream/consumers";
import { createLog } from "@nts/shared/log";
import { runAdmin } from "./run.js";

// The program of operators; its commands are in `run.ts`.

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  log: createLog("identity-admin", "info", 2),
  input: () => text(process.stdin),
  print: (output) => process.stdout.write(output),
  printError: (output) => process.stderr.write(output),
});
