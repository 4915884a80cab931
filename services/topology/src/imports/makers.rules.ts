import type { Dependency, HostRecord, Interface, Port, Service } from "@nts/shared/contract";
import type { dependencyKind } from "../kinds/dependency.js";
import type { hostKind } from "../kinds/host.js";
import type { interfaceKind } from "../kinds/interface.js";
import type { portKind } from "../kinds/port.js";
import { madeBy, type Recipe } from "../kinds/recipe.rules.js";
import type { serviceKind } from "../kinds/service.js";

// Threads of imports make entities by recipes that they are given: with the kinds, they would load the whole contract and its
// library, which takes longer than planning a thousand hosts.

/** Make the entities of imports. */
export interface Makers {
  readonly host: (typeof hostKind)["make"];
  readonly interface: (typeof interfaceKind)["make"];
  readonly port: (typeof portKind)["make"];
  readonly service: (typeof serviceKind)["make"];
  readonly dependency: (typeof dependencyKind)["make"];
}

export type Recipes = Readonly<Record<keyof Makers, Recipe>>;

export function makersOf(recipes: Recipes): Makers {
  return {
    host: (...given) => madeBy(recipes.host, ...given) as HostRecord,
    interface: (...given) => madeBy(recipes.interface, ...given) as Interface,
    port: (...given) => madeBy(recipes.port, ...given) as Port,
    service: (...given) => madeBy(recipes.service, ...given) as Service,
    dependency: (...given) => madeBy(recipes.dependency, ...given) as Dependency,
  };
}
