import { useEffect, useMemo, useState } from "react";
import { useFollower } from "../live/live.js";
import type { Selection } from "./data-table.js";

export interface Selecting extends Selection {
  readonly clear: () => void;
}

/** Selected rows across pages, until they are deleted. */
export function useSelection(): Selecting {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const { watch } = useFollower();
  useEffect(
    () =>
      watch((changes) => {
        const deleted = new Set(changes?.flatMap(({ action, entity_id: id }) => (action === "deleted" ? [id] : [])));
        if (deleted.size > 0) setIds((before) => without(before, deleted));
      }),
    [watch],
  );
  return useMemo(
    () => ({
      ids,
      toggle: (changed, isSelected) => {
        setIds((before) => {
          const after = new Set(before);
          for (const id of changed)
            if (isSelected) after.add(id);
            else after.delete(id);
          return after;
        });
      },
      clear: () => setIds(new Set()),
    }),
    [ids],
  );
}

/** Returns the same set if nothing is removed, to avoid rendering. */
function without(ids: ReadonlySet<string>, deleted: ReadonlySet<string>): ReadonlySet<string> {
  const left = [...ids].filter((id) => !deleted.has(id));
  return left.length === ids.size ? ids : new Set(left);
}
