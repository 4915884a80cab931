import { dependencyKind } from "../kinds/dependency.js";
import { hostKind } from "../kinds/host.js";
import { interfaceKind } from "../kinds/interface.js";
import { portKind } from "../kinds/port.js";
import { serviceKind } from "../kinds/service.js";
import type { Recipes } from "./makers.rules.js";

/** What threads of imports need of the kinds. */
export const RECIPES: Recipes = {
  host: hostKind.recipe,
  interface: interfaceKind.recipe,
  port: portKind.recipe,
  service: serviceKind.recipe,
  dependency: dependencyKind.recipe,
};
