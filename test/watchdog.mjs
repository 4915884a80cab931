// Ends what a test run has left, however the run ends: its input closes when the run does, also by SIGKILL. The first
// line is the folder of the run. It is started in a process group of its own, and only SIGKILL ends it earlier.
import { text } from "node:stream/consumers";
import { endProcessesOf, removeDatabases, removeLaboratories } from "./run-processes.mjs";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
const folder = (await text(process.stdin)).trim();
if (folder !== "") {
  await endProcessesOf(folder);
  removeDatabases(folder);
  removeLaboratories();
}
process.exit();
