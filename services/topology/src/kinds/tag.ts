import { Tag, TagInput } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { MADE } from "./archived.js";
import { kind } from "./kind.js";

/** The unique key of a tag's name. */
export function tagKeyOf(name: string): string {
  return folded(name);
}

export const tagKind = kind("Tag", {
  schema: Tag,
  create: TagInput,
  update: TagInput,
  placed: ["organization_id"],
  defaults: { description: null, color: null },
  archived: TagInput.omit({ organization_id: true }).extend(MADE),
  keysOf: ({ name, color }) => ({ name, color, name_key: tagKeyOf(name) }),
});
