import type { Plan, PlannedChange } from "@nts/shared/contract";
import { entityName } from "../parts/texts.js";

const LONGEST = 60;

/** A planned change, such as `Service web: name "web" → "proxy"`. */
export function changeText({ entity, name: called, fields }: PlannedChange): string {
  const what = `${entity} ${entityName({ entity, name: called })}`.trim();
  const parts = Object.entries(fields).map(([name, { before, after }]) =>
    before === undefined ? `${name} ${short(after)}` : `${name} ${short(before)} → ${short(after)}`,
  );
  return parts.length === 0 ? what : `${what}: ${parts.join(", ")}`;
}

/** What a deletion also deletes, such as `Also deletes 1 service and 2 ports.`; null for nothing. */
export function alongText({ cascades, changes }: Pick<Plan, "cascades" | "changes">): string | null {
  const parts = Object.entries(cascades).map(([kind, count]) => `${count} ${count === 1 ? kind.slice(0, -1) : kind}`);
  const last = parts.pop();
  if (last === undefined) return null;
  const list = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return changes.some(({ action, entity }) => action === "delete" && entity === "Tag")
    ? `Also removes it from ${list}.`
    : `Also deletes ${list}.`;
}

function short(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "none";
  if (Array.isArray(value) && value.some((one) => typeof one === "object")) return `(${value.length})`;
  const text = Array.isArray(value) ? `(${value.join(", ")})` : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
