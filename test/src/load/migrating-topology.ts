/** A topology that has one more migration. */
import type { Migration } from "@nts/shared/mongo/migrations";
import { MIGRATIONS } from "@nts/topology/storage/migrations";
import { LONG_MIGRATION } from "./long-migration.js";

(MIGRATIONS as Migration[]).push(LONG_MIGRATION);
await import("@nts/topology/main");
