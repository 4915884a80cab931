import { useState } from "react";
import { useSession } from "../session/session.js";
import { type SaidColumns, withMeaning } from "./columns.js";

/** What the user has said of columns of tables, kept in the browser. */
export function useSaidColumns(): {
  readonly said: SaidColumns;
  readonly say: (heading: string, meaning: string | null) => void;
} {
  const key = `nts-columns-${useSession().user.id}`;
  const [said, setSaid] = useState(() => storedAt(key));
  return {
    said,
    say: (heading, meaning) => {
      const next = withMeaning(said, heading, meaning);
      localStorage.setItem(key, JSON.stringify(next));
      setSaid(next);
    },
  };
}

function storedAt(key: string): SaidColumns {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as SaidColumns;
  } catch {
    return {};
  }
}
