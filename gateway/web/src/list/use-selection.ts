import { useMemo, useState } from "react";
import type { Selection } from "./data-table.js";

export interface Selecting extends Selection {
  readonly clear: () => void;
}

/** Rows that are marked, on whichever page they stand. */
export function useSelection(): Selecting {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
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
