import type { ArchiveImport } from "@nts/shared/contract";

// Parses the progress of an import from its partial response.

export interface Progress {
  readonly done: number;
  /** Number of entities in the file. */
  readonly total: number;
}

type Counts = ArchiveImport["archive"]["counts"];

const HEAD = /"counts":(\{[^}]*\})\},"progress":\[/;

/** @param text the response received so far @returns null until its first part is complete */
export function progressIn(text: string): Progress | null {
  const head = HEAD.exec(text);
  if (head?.[1] === undefined) return null;
  const total = totalOf(JSON.parse(head[1]) as Counts);
  const steps = text.slice(head.index + head[0].length);
  if (steps.includes("]")) return { done: total, total };
  // The last number may be incomplete.
  const reported = steps.slice(0, Math.max(0, steps.lastIndexOf(",")));
  return { done: Number(reported.slice(reported.lastIndexOf(",") + 1)), total };
}

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
