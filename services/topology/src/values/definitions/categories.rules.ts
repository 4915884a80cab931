import type { Category } from "@nts/shared/contract";
import { CATALOGUE } from "./catalogue.js";

/** By lower-case name, which is unique. */
const CATEGORY_BY_NAME: ReadonlyMap<string, Category> = new Map(
  CATALOGUE.map(({ name, category }) => [name.toLowerCase(), category]),
);

/** The category of a service definition; `Custom` if it is not in the catalogue. */
export function categoryOf(serviceDefinition: string): Category {
  return CATEGORY_BY_NAME.get(serviceDefinition.toLowerCase()) ?? "Custom";
}
