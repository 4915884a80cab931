import { Network, NetworkCreate, NetworkUpdate } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const networkKind = kind({
  schema: Network,
  create: NetworkCreate,
  update: NetworkUpdate,
  placed: ["organization_id"],
  defaults: {},
});
