import type { ArchiveImport } from "@nts/shared/contract";

// How far an import is, read out of the answer while it comes.

export interface Progress {
  readonly done: number;
  /** What the file has. */
  readonly total: number;
}

type Counts = ArchiveImport["archive"]["counts"];

const HEAD = /"counts":(\{[^}]*\})\},"progress":\[/;

/** @param text of an answer as far as it has come; null while its head is not there */
export function progressIn(text: string): Progress | null {
  const head = HEAD.exec(text);
  if (head?.[1] === undefined) return null;
  const total = totalOf(JSON.parse(head[1]) as Counts);
  const steps = text.slice(head.index + head[0].length);
  if (steps.includes("]")) return { done: total, total };
  // The last number may have come in part.
  const told = steps.slice(0, Math.max(0, steps.lastIndexOf(",")));
  return { done: Number(told.slice(told.lastIndexOf(",") + 1)), total };
}

export function totalOf(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
