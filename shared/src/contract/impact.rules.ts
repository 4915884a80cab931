import type { Reached } from "./impact.js";

/** By what each is reached, as people read it: `Core switch → NAS`; empty if directly. What is in between is reached before. */
export function waysTo(reached: readonly Reached[]): (one: Reached) => string {
  const names = new Map(reached.flatMap(({ kind, id, name }) => (kind === "process" ? [] : [[id, name] as const])));
  return ({ path }) =>
    path
      .slice(1)
      .map((id) => names.get(id) ?? "…")
      .join(" → ");
}
