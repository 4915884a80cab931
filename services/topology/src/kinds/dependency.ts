import { Dependency, DependencyCreate, DependencySource, DependencyUpdate } from "@nts/shared/contract";
import { clientOf, endsKeyOf, keyOf, namedBy, serverOf } from "../values/ends.rules.js";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const dependencyKind = kind("Dependency", {
  schema: Dependency,
  create: DependencyCreate,
  update: DependencyUpdate,
  placed: ["network_id"],
  defaults: {},
  namedIn: ["wire"],
  archived: DependencyCreate.extend({ ...MADE, source: DependencySource }),
  keysOf: (dependency) => ({
    ...namedBy(dependency),
    ends: endsKeyOf(dependency),
    client_key: keyOf(clientOf(dependency)),
    server_key: keyOf(serverOf(dependency)),
    source: dependency.source,
  }),
});
