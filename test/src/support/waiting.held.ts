/** A suite that starts what suites start, and waits until the run is interrupted: `e2e/interrupted` runs it. */
import { it } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { startBlackHole } from "./black-hole.js";
import { startStack } from "./stack.js";

it("starts a system, and a process that ignores SIGTERM", async () => {
  await startStack({ ownMongod: true });
  await startBlackHole();
  writeFileSync(process.env["HELD_FILE"] ?? "", "started");
  await new Promise(() => undefined);
});
