import { addGauges } from "@nts/shared/metrics";
import type { Registry } from "prom-client";
import type { ImportRunner } from "./runner.js";

/** Adds metrics of the resources that imports use. */
export function addImportMetrics(registry: Registry, runner: ImportRunner): void {
  addGauges(registry, [
    ["nts_imports_running", "Running imports, each in its own thread.", runner.running],
    ["nts_imports_waiting", "Imports with a complete file that wait to run.", runner.waiting],
    ["nts_imports_spooled_bytes", "Bytes of uploaded files that no import has read yet.", runner.spooledBytes],
    ["nts_imports_unread_bytes", "Bytes of results that clients have not read yet.", runner.unreadBytes],
  ]);
}
