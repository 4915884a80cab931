import { listTags, type Tag } from "@nts/shared/contract";
import { useMemo } from "react";
import { useRows } from "../api/queries.js";

/** The managed tags of the organization, and how what an entity carries is shown and named. */
export interface KnownTags {
  readonly tags: readonly Tag[];
  /** The managed tag that an id stands for; undefined for a free label. */
  readonly tagOf: (tag: string) => Tag | undefined;
  /** What a person reads: the name of a managed tag, or the label. */
  readonly nameOf: (tag: string) => string;
  /** What the API takes: the id of the managed tag of that name, or the label itself. */
  readonly valueOf: (name: string) => string;
}

/** Reads the managed tags. */
export function useTags(): KnownTags {
  const { data } = useRows(listTags, { query: { limit: 1000, order_by: "name" } });
  return useMemo(() => {
    const tags = data?.data ?? [];
    const byId = new Map(tags.map((tag) => [tag.id, tag]));
    const byName = new Map(tags.map((tag) => [tag.name.toLowerCase(), tag.id]));
    return {
      tags,
      tagOf: (tag) => byId.get(tag),
      nameOf: (tag) => byId.get(tag)?.name ?? tag,
      valueOf: (name) => byName.get(name.trim().toLowerCase()) ?? name,
    };
  }, [data]);
}
