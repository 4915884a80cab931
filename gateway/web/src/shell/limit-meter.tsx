import { Text } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { levelAt, type LimitState, useLimit } from "../api/limit.js";
import classes from "./shell.module.css";

const TICK_MS = 1_000;

/** Above this share of what is available at most, people need not know. */
const SCARCE = 0.2;

/** The available requests, when few are left: those of the latest response, plus the refill since. */
export function LimitMeter(): ReactNode {
  const state = useLimit();
  const now = useNow(state);
  if (state === null) return null;
  const { remaining, capacity } = levelAt(state, Math.max(now, state.seenAt));
  if (remaining >= capacity * SCARCE) return null;
  return (
    <div className={classes.limit}>
      <Text size="xs" c="dimmed" className="numbers" id="limit-label">
        {remaining} requests left · {state.limit} per minute
      </Text>
      <meter
        min={0}
        max={capacity}
        low={capacity * SCARCE}
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
