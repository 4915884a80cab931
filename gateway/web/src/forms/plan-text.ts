import type { Plan, PlannedChange } from "@nts/shared/contract";
import { entityName } from "../parts/texts.js";

const LONGEST = 60;
const NONE = "none";

/** A planned change, such as `Service web: name "web" → "proxy"`. Ids of hosts say nothing to people. */
export function changeText({ entity, name: called, fields }: PlannedChange): string {
  const what = `${entity} ${entityName({ entity, name: called })}`.trim();
  const parts = Object.entries(fields).flatMap(([name, { before, after }]) => {
    if (before !== undefined)
      return name === "host_id" ? "to another host" : `${name} ${short(before)} → ${short(after)}`;
    return name.endsWith("_id") || after === false || short(after) === NONE ? [] : `${name} ${short(after)}`;
  });
  return parts.length === 0 ? what : `${what}: ${parts.join(", ")}`;
}

/** What a deletion also deletes, such as `Also deletes 1 service and 2 ports.`; null for nothing. */
export function alongText({ cascades, changes }: Pick<Plan, "cascades" | "changes">): string | null {
  const parts = Object.entries(cascades).map(([kind, count]) => `${count} ${count === 1 ? singularOf(kind) : kind}`);
  const last = parts.pop();
  if (last === undefined) return null;
  const list = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return changes.some(({ action, entity }) => action === "delete" && entity === "Tag")
    ? `Also removes it from ${list}.`
    : `Also deletes ${list}.`;
}

function singularOf(kinds: string): string {
  return kinds.replace(/ies$/, "y").replace(/s$/, "");
}

/** Whether something only changes its place in a list, because something before it was added, moved or deleted. */
export function isOnlyMoved({ action, fields }: PlannedChange): boolean {
  return action === "update" && Object.keys(fields).join() === "position";
}

function short(value: unknown): string {
  if (value === null || (typeof value === "object" && Object.keys(value).length === 0)) return NONE;
  if (Array.isArray(value) && value.some((one) => typeof one === "object")) return `(${value.length})`;
  const text = Array.isArray(value)
    ? `(${value.join(", ")})`
    : typeof value === "object"
      ? `(${namesIn(value).join(", ")})`
      : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The members of an object that have a value. */
function namesIn(value: object): string[] {
  return Object.entries(value).flatMap(([name, one]) => (one === null ? [] : name));
}
