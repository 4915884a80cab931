import { Text } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { levelAt, type LimitState, useLimit } from "../api/limit.js";
import classes from "./shell.module.css";

const TICK_MS = 1_000;

/** The available requests: those of the latest response, plus the refill since. */
export function LimitMeter(): ReactNode {
  const state = useLimit();
  const now = useNow(state);
  if (state === null) return null;
  const { remaining, capacity } = levelAt(state, Math.max(now, state.seenAt));
  return (
    <div className={classes.limit}>
      <Text size="xs" c="dimmed" className="numbers" id="limit-label">
        {remaining} requests left · {state.limit} per minute
      </Text>
      <meter
        min={0}
        max={capacity}
        low={capacity * 0.2}
        optimum={capacity}
        value={remaining}
        aria-labelledby="limit-label"
      />
    </div>
  );
}

/** The current time while the bucket refills. */
function useNow(state: LimitState | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (state === null) return;
    const fullAt = state.seenAt + state.resetSeconds * 1_000;
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() > fullAt) clearInterval(timer);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [state]);
  return now;
}
