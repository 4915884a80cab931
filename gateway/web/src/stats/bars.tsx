import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./stats.module.css";

export interface Bar {
  readonly id: string;
  readonly label: ReactNode;
  readonly text: string;
  /** From 0 to 1. */
  readonly share: number;
}

interface BarsProps {
  readonly title: string;
  readonly bars: readonly Bar[];
}

/** A bar chart; nothing without amounts. */
export function Bars({ title, bars }: BarsProps): ReactNode {
  if (bars.length === 0) return null;
  return (
    <section>
      <Title order={3} size="sm">
        {title}
      </Title>
      <ul className={classes.bars}>
        {bars.map(({ id, label, text, share }) => (
          <li key={id} className={classes.bar}>
            <span className={classes.label}>{label}</span>
            <span className="numbers">{text}</span>
            <span className={classes.track} aria-hidden>
              <span style={{ width: `${Math.min(1, share) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
