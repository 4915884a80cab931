import { View, ViewCreate, ViewUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const viewKind = kind("View", {
  schema: View,
  create: ViewCreate,
  update: ViewUpdate,
  placed: ["network_id"],
  defaults: {},
  archived: ViewCreate.extend(MADE),
  keysOf: ({ name, tags }) => ({ name, tags: tags.map(composed) }),
});
