import { addGauges } from "@nts/shared/metrics";
import type { Registry } from "prom-client";
import type { ImportDesk } from "./desk.js";

/** Adds metrics of the resources that imports use. */
export function addImportMetrics(registry: Registry, desk: ImportDesk): void {
  addGauges(registry, [
    ["nts_imports_running", "Imports that run, each in a thread of its own.", desk.running],
    ["nts_imports_waiting", "Imports whose file is there and that wait for a place.", desk.waiting],
    ["nts_imports_spooled_bytes", "Bytes of files that no import has read yet.", desk.spooledBytes],
  ]);
}
