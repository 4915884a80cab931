import { Network, NetworkCreate, NetworkUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { searchTextOf } from "../values/search.rules.js";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

export const networkKind = kind("Network", {
  schema: Network,
  create: NetworkCreate,
  update: NetworkUpdate,
  placed: ["organization_id"],
  defaults: {},
  archived: NetworkCreate.omit({ organization_id: true }).extend(MADE),
  keysOf: ({ name, tags }) => ({ name, tags: tags.map(composed), search: searchTextOf(name) }),
});
