import { listTags, type Tag } from "@nts/shared/contract";
import { folded } from "@nts/shared/contract/folding.rules";
import { useMemo } from "react";
import { useRows } from "../api/queries.js";

/** The managed tags, and conversion between ids, names and free labels. */
export interface KnownTags {
  readonly tags: readonly Tag[];
  /** The managed tag with an id; undefined for a free label. */
  readonly tagOf: (tag: string) => Tag | undefined;
  /** The name of a managed tag, or the label. */
  readonly nameOf: (tag: string) => string;
  /** The value for the API: the id of the managed tag with that name, or the label. */
  readonly valueOf: (name: string) => string;
}

export function useTags(): KnownTags {
  const { data } = useRows(listTags, { query: { limit: 1000, order_by: "name" } });
  return useMemo(() => {
    const tags = data?.data ?? [];
    const byId = new Map(tags.map((tag) => [tag.id, tag]));
    const byName = new Map(tags.map((tag) => [folded(tag.name), tag.id]));
    return {
      tags,
      tagOf: (tag) => byId.get(tag),
      nameOf: (tag) => byId.get(tag)?.name ?? tag,
      valueOf: (name) => byName.get(folded(name.trim())) ?? name,
    };
  }, [data]);
}
