import { Dependency, DependencyCreate, DependencySource, DependencyUpdate } from "@nts/shared/contract";
import { endsKeyOf, namedBy } from "../values/ends.rules.js";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const dependencyKind = kind("Dependency", {
  schema: Dependency,
  create: DependencyCreate,
  update: DependencyUpdate,
  placed: ["network_id"],
  defaults: {},
  archived: DependencyCreate.extend({ ...MADE, source: DependencySource }),
  keysOf: (dependency) => ({ ...namedBy(dependency), ends: endsKeyOf(dependency), source: dependency.source }),
});
