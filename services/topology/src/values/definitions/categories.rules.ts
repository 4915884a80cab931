import type { Category } from "@nts/shared/contract";
import { CATALOGUE } from "./catalogue.js";

/** By lower-case name: as no two names differ in case only, an exact match is never missed. */
const CATEGORY_BY_NAME: ReadonlyMap<string, Category> = new Map(
  CATALOGUE.map(({ name, category }) => [name.toLowerCase(), category]),
);

/** The category of the catalogue entry that a service names as its definition; `Custom` when there is none. */
export function categoryOf(serviceDefinition: string): Category {
  return CATEGORY_BY_NAME.get(serviceDefinition.toLowerCase()) ?? "Custom";
}
