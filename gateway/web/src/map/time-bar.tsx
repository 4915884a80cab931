import { ActionIcon, Alert, Button, Text, TextInput } from "@mantine/core";
import { ChevronLeft, ChevronRight, type LucideIcon, Pause, Play } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { describeFailure } from "../api/failure.js";
import { localText, momentOf } from "../forms/moments.js";
import classes from "./map.module.css";
import { placeOf, type Step } from "./steps.js";
import type { Moments } from "./use-past.js";

/** Milliseconds for which the slider must rest before its time is loaded. */
const REST_MS = 250;
/** Milliseconds for which each state is shown while playing. */
const PLAYED_MS = 1_200;

interface TimeBarProps {
  readonly steps: readonly Step[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly moments: Moments;
  /** What has changed since. */
  readonly summary: string;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/**
 * Selects the time of the map, and the one with which it is compared: a slider over the retained journal, ending at the
 * latter, and a button that plays what happened until then.
 */
export function TimeBar({ steps: all, isLoading, error, moments, summary }: TimeBarProps): ReactNode {
  const { at, to, go, compareWith, leave } = moments;
  const steps = useMemo(() => (to === null ? all : all.filter((step) => step.at < to)), [all, to]);
  const { place, shownAt, slideTo, stopSliding } = useSlider({ steps, at, onGo: go });
  const playing = usePlaying({ steps, at, isReady: !isLoading && error === null, onGo: go });
  const said = momentText(shownAt ?? to);
  const why = shownAt === null || steps[place]?.at !== shownAt ? null : whyOf(steps[place]);
  return (
    <section className={classes.time} aria-label="Time">
      <div className={classes.timeControls}>
        <StepButton
          label={playing.isPlaying ? "Pause" : "Play"}
          icon={playing.isPlaying ? Pause : Play}
          disabled={steps.length === 0}
          onClick={playing.toggle}
        />
        <StepButton
          label="Earlier change"
          icon={ChevronLeft}
          disabled={steps.length === 0 || place <= 0}
          onClick={() => slideTo(place - 1)}
        />
        <input
          className={classes.slider}
          type="range"
          aria-label="Moment"
          aria-valuetext={why === null ? said : `${said}, ${why}`}
          min={0}
          max={steps.length}
          value={Math.max(0, place)}
          disabled={steps.length === 0}
          onChange={({ currentTarget }) => slideTo(Number(currentTarget.value))}
        />
        <StepButton
          label="Later change"
          icon={ChevronRight}
          disabled={place >= steps.length}
          onClick={() => slideTo(place + 1)}
        />
        <TextInput
          className={classes.momentField}
          type="datetime-local"
          aria-label="Go to"
          value={localText(shownAt)}
          onChange={({ currentTarget }) => go(momentOf(currentTarget.value))}
        />
      </div>
      <div className={classes.timeControls}>
        <MomentText {...{ said, why, isLoading, error, summary }} />
        <label className={classes.compared}>
          Compare with
          <TextInput
            className={classes.momentField}
            type="datetime-local"
            aria-label="Compare with"
            title="The present, if empty"
            value={localText(to)}
            onChange={({ currentTarget }) => compareWith(momentOf(currentTarget.value))}
          />
        </label>
        <Button
          variant="light"
          px="sm"
          disabled={at === null && to === null}
          onClick={() => {
            stopSliding();
            playing.stop();
            leave();
          }}
        >
          Back to now
        </Button>
      </div>
    </section>
  );
}

function momentText(at: string | null): string {
  return at === null ? "Now" : exact.format(new Date(at));
}

interface Slid {
  readonly steps: readonly Step[];
  readonly at: string | null;
  readonly onGo: (at: string | null) => void;
}

/** Goes from step to step until the end, each as soon as it has loaded and the last one has been shown for a while. */
function usePlaying({ steps, at, isReady, onGo }: Slid & { readonly isReady: boolean }) {
  const [isPlaying, setPlaying] = useState(false);
  const next = at === null ? 0 : placeOf(steps, at) + 1;

  useEffect(() => {
    if (!isPlaying || !isReady) return undefined;
    const timer = setTimeout(() => {
      const step = steps[next];
      onGo(step?.at ?? null);
      if (step === undefined) setPlaying(false);
    }, PLAYED_MS);
    return () => clearTimeout(timer);
  });

  return {
    isPlaying,
    stop: () => setPlaying(false),
    toggle: () => {
      setPlaying(!isPlaying);
      if (!isPlaying && at === null) onGo(steps[0]?.at ?? null);
    },
  };
}

/** The index of the slider and its time, which is loaded once the slider rests. */
function useSlider({ steps, at, onGo }: Slid) {
  // a time, because indexes shift when steps are added
  const [sliding, setSliding] = useState<{ readonly at: string | null } | null>(null);

  useEffect(() => {
    if (sliding === null) return undefined;
    const timer = setTimeout(() => {
      setSliding(null);
      onGo(sliding.at);
    }, REST_MS);
    return () => clearTimeout(timer);
  });

  const shownAt = sliding === null ? at : sliding.at;
  return {
    place: shownAt === null ? steps.length : placeOf(steps, shownAt),
    shownAt,
    slideTo: (index: number) => setSliding({ at: steps[Math.max(0, index)]?.at ?? null }),
    stopSliding: () => setSliding(null),
  };
}

interface MomentTextProps extends Pick<TimeBarProps, "isLoading" | "error" | "summary"> {
  readonly said: string;
  readonly why: string | null;
}

/** The selected time, its change and author, and the differences since. */
function MomentText({ said, why, isLoading, error, summary }: MomentTextProps): ReactNode {
  return (
    <>
      <div className={classes.timeText} aria-busy={isLoading}>
        <Text size="sm" component="span" fw={600} className="numbers">
          {said}
        </Text>
        {why !== null && (
          <Text size="sm" component="span" className={classes.why ?? ""}>
            {why}
          </Text>
        )}
        <Text size="sm" component="span" c="dimmed" role="status">
          {isLoading ? "Loading …" : error === null && summary}
        </Text>
      </div>
      {error !== null && (
        <Alert color="red" role="alert" w="100%" title={describeFailure(error).title}>
          {describeFailure(error).text}
        </Alert>
      )}
    </>
  );
}

interface StepButtonProps {
  readonly label: string;
  readonly icon: LucideIcon;
  readonly disabled: boolean;
  readonly onClick: () => void;
}

function StepButton({ label, icon: Icon, disabled, onClick }: StepButtonProps): ReactNode {
  return (
    <ActionIcon variant="default" size="lg" aria-label={label} disabled={disabled} onClick={onClick}>
      <Icon size={18} aria-hidden />
    </ActionIcon>
  );
}

/** Author and description of the last change before the selected time. */
function whyOf({ change }: Step): string | null {
  if (change === null) return null;
  const { actor, comment, action, entity, name } = change;
  const who = actor === null ? "" : `${actor.email ?? "A user"}: `;
  return `${who}${comment ?? `${action} ${entity} ${name}`}`;
}
