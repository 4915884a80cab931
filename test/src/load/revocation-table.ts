import type { Outcome } from "../support/revocation-pass.js";

/** Fewer requests than this after a change are not significant. */
const MIN_REQUESTS = 8;

/** The measurements under one condition. */
export interface Measured {
  readonly condition: string;
  readonly outcomes: readonly Outcome[];
}

/**
 * For each kind of change and each condition the median and maximum of milliseconds to its response; below, what was
 * accepted.
 */
export function tableOf(measured: readonly Measured[], kinds: readonly string[]): string {
  const lines = kinds.map((kind) => [
    kind,
    ...measured.map(({ outcomes }) => timesOf(outcomes.filter((outcome) => outcome.kind === kind))),
  ]);
  const accepted = ["accepted after the response", ...measured.map(({ outcomes }) => acceptedOf(outcomes))];
  const head = ["", ...measured.map(({ condition }) => condition)];
  return [head, head.map(() => "---"), ...lines, accepted].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Every forbidden outcome, as a sentence. */
export function failuresOf(measured: readonly Measured[]): string[] {
  return measured.flatMap(({ condition, outcomes }) =>
    outcomes.flatMap(({ kind, accepted, after, unanswered }) => {
      if (accepted > 0)
        return [`${kind}, ${condition}: ${accepted} of ${after} requests were accepted after the response`];
      const conclusive = after - unanswered;
      return conclusive < MIN_REQUESTS
        ? [`${kind}, ${condition}: only ${conclusive} conclusive requests were sent after the response`]
        : [];
    }),
  );
}

function timesOf(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return "not measured";
  const times = outcomes.map(({ responseMs }) => responseMs).sort((a, b) => a - b);
  return `${Math.round(times[Math.floor(times.length / 2)] ?? 0)} / ${Math.round(times.at(-1) ?? 0)} ms`;
}

function acceptedOf(outcomes: readonly Outcome[]): string {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0);
  return `${sum(({ accepted }) => accepted)} of ${sum(({ after }) => after)}`;
}
