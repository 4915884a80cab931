import { ActionIcon, Alert, Button, Text, TextInput } from "@mantine/core";
import { ChevronLeft, ChevronRight, type LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { describeFailure } from "../api/failure.js";
import { localText, momentOf } from "../forms/moments.js";
import classes from "./map.module.css";
import { placeOf, type Step } from "./steps.js";

/** Milliseconds for which the slider must rest before its time is loaded. */
const REST_MS = 250;

interface TimeBarProps {
  readonly steps: readonly Step[];
  readonly isLoading: boolean;
  readonly error: Error | null;
  /** Null for the present. */
  readonly at: string | null;
  readonly onGo: (at: string | null) => void;
  /** What has changed since. */
  readonly summary: string;
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Selects the time of the map: a slider over the retained journal, ending at the present. */
export function TimeBar({ steps, isLoading, error, at, onGo, summary }: TimeBarProps): ReactNode {
  const { place, shownAt, slideTo, stopSliding } = useSlider({ steps, at, onGo });
  const said = shownAt === null ? "Now" : exact.format(new Date(shownAt));
  const why = shownAt === null || steps[place]?.at !== shownAt ? null : whyOf(steps[place]);
  return (
    <section className={classes.time} aria-label="Time">
      <div className={classes.timeControls}>
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
          onChange={({ currentTarget }) => onGo(momentOf(currentTarget.value))}
        />
      </div>
      <div className={classes.timeControls}>
        <MomentText {...{ said, why, isLoading, error, summary }} />
        <Button
          variant="light"
          px="sm"
          disabled={at === null}
          onClick={() => {
            stopSliding();
            onGo(null);
          }}
        >
          Back to now
        </Button>
      </div>
    </section>
  );
}

/** The index of the slider and its time, which is loaded once the slider rests. */
function useSlider({ steps, at, onGo }: Pick<TimeBarProps, "steps" | "at" | "onGo">) {
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
