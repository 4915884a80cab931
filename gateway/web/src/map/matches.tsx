import { ActionIcon } from "@mantine/core";
import type { TopologyNode } from "@nts/shared/contract";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import classes from "./map.module.css";

interface MatchesProps {
  readonly found: readonly TopologyNode[];
  /** The number of nodes that were searched. */
  readonly all: number;
  readonly selected: string | null;
  readonly onShow: (id: string) => void;
}

/** The number of search results, and a way from one to the next. */
export function Matches({ found, all, selected, onShow }: MatchesProps): ReactNode {
  const current = found.findIndex(({ id }) => id === selected);
  const go = (by: number): void => {
    const from = current === -1 && by < 0 ? 0 : current;
    const next = found[(from + by + found.length) % found.length];
    if (next !== undefined) onShow(next.id);
  };
  const count = `${found.length.toLocaleString("en")} of ${all.toLocaleString("en")} match`;
  return (
    <div className={classes.matches}>
      <span role="status">
        {current === -1 ? count : `${current + 1} of ${found.length.toLocaleString("en")} matches`}
      </span>
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label="Previous match"
        disabled={found.length === 0}
        onClick={() => go(-1)}
      >
        <ChevronLeft size={16} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label="Next match"
        disabled={found.length === 0}
        onClick={() => go(1)}
      >
        <ChevronRight size={16} aria-hidden />
      </ActionIcon>
    </div>
  );
}
