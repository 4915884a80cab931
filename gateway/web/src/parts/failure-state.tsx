import { Button, Code, Text, Title } from "@mantine/core";
import { CircleHelp, Clock, type LucideIcon, Lock, RefreshCw, ServerCrash, Unplug } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { describeFailure, type Failure } from "../api/failure.js";
import classes from "./state.module.css";

const ICONS: Readonly<Record<Failure["kind"], LucideIcon>> = {
  unreachable: Unplug,
  limited: Clock,
  forbidden: Lock,
  missing: CircleHelp,
  changed: RefreshCw,
  "signed-out": Lock,
  refused: CircleHelp,
  fault: ServerCrash,
};

interface FailureStateProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Centered in an otherwise empty window. */
  readonly page?: boolean;
}

/** Shows a failure instead of the content, with a retry. After 429 it retries automatically. */
export function FailureState({ error, onRetry, page = false }: FailureStateProps): ReactNode {
  const { kind, title, text, waitSeconds, requestId } = describeFailure(error);
  const Icon = ICONS[kind];
  const left = useCountdown(kind === "limited" ? (waitSeconds ?? 1) : 0, error, onRetry);
  const isFinal = kind === "forbidden" || kind === "missing";
  return (
    <div className={page ? `${classes.state ?? ""} ${classes.page ?? ""}` : classes.state} role="alert">
      <Icon size={32} strokeWidth={1.5} aria-hidden className={classes.icon} />
      <Title order={2}>{title}</Title>
      <Text c="dimmed">{left > 0 ? `Retrying in ${left} s.` : text}</Text>
      {requestId !== null && kind === "fault" && (
        <Text size="sm" c="dimmed">
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry !== undefined && !isFinal && (
        <Button
          variant="default"
          onClick={onRetry}
          disabled={left > 0}
          leftSection={<RefreshCw size={16} aria-hidden />}
        >
          Try again
        </Button>
      )}
    </div>
  );
}

/** Calls `onEnd` after a countdown, which restarts for each failure. */
function useCountdown(seconds: number, failure: unknown, onEnd: (() => void) | undefined): number {
  const [left, setLeft] = useState(seconds);
  const end = useRef(onEnd);
  useEffect(() => {
    end.current = onEnd;
  });
  useEffect(() => {
    if (seconds <= 0) return;
    const until = Date.now() + seconds * 1_000;
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((until - Date.now()) / 1_000));
      setLeft(now);
      if (now > 0) return;
      clearInterval(timer);
      end.current?.();
    }, 250);
    return () => clearInterval(timer);
  }, [seconds, failure]);
  return Math.min(left, seconds);
}
