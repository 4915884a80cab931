import { z } from "zod";
import { Id, text } from "@nts/shared/contract";
import { forKinds, KIND_NAMES, type KindName, type PluralOf, pluralOf } from "@nts/shared/contract/kinds";
import { ENTITY_KINDS, type EntityKinds } from "../kinds/index.js";
import { ARCHIVE_MARK, ARCHIVE_VERSION } from "@nts/shared/contract/archives";

// Schemas of archive lines. Those of entities are declared with their kinds.

export type ArchivedForms = {
  readonly [Kind in KindName]: z.infer<EntityKinds[PluralOf<Kind>]["archived"]>;
};

/** An entity between the two passes over an archive. */
export type CheckedLine = {
  readonly [Kind in KindName]: { readonly line: number; readonly entity: Kind; readonly data: ArchivedForms[Kind] };
}[KindName];

export const FirstLine = z.object({
  archive: z.literal(ARCHIVE_MARK),
  version: z.literal(ARCHIVE_VERSION),
  organization_id: Id,
  changes_cursor: text(1, 200),
  networks: z.enum(["all", "some"]),
});
export type FirstLine = z.infer<typeof FirstLine>;

const count = z.int().min(0);
export const LastLine = z.object({
  end: z.literal(true),
  counts: z.object(forKinds(KIND_NAMES, () => count)),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hexadecimal"),
});

export function formOf(kind: KindName): z.ZodType {
  return ENTITY_KINDS[pluralOf(kind)].archived;
}
