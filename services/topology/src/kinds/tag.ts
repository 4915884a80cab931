import { Tag, TagInput } from "@nts/shared/contract";
import { kind } from "./kind.js";

export const tagKind = kind({
  schema: Tag,
  create: TagInput,
  update: TagInput,
  placed: ["organization_id"],
  defaults: { description: null, color: null },
});
