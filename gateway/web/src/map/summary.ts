import type { Topology } from "@nts/shared/contract";
import type { Mark } from "./past.js";

export const MARK_WORDS: Readonly<Record<Mark, string>> = {
  new: "new",
  gone: "gone",
  changed: "changed",
  missed: "not seen",
};

/** Numbers of nodes by kind. */
export function summaryOf({ nodes }: Topology): string {
  const count = { subnet: 0, host: 0, service: 0 };
  for (const { kind } of nodes) count[kind]++;
  const counted = (number: number, one: string): string =>
    `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  return `${counted(count.subnet, "subnet")}, ${counted(count.host, "host")}, ${counted(count.service, "service")}`;
}

/**
 * Numbers of changes by kind.
 *
 * @param isNow whether the later state is the present
 */
export function summaryOfMarks(marks: ReadonlyMap<string, Mark>, isNow: boolean): string {
  const count: Record<Mark, number> = { new: 0, gone: 0, changed: 0, missed: 0 };
  for (const mark of marks.values()) count[mark]++;
  const present = (Object.keys(count) as Mark[]).filter((mark) => count[mark] > 0);
  if (present.length === 0) return isNow ? "The same as now" : "The same at both times";
  const counts = present.map((mark) => `${count[mark].toLocaleString("en")} ${MARK_WORDS[mark]}`);
  return `${isNow ? "Since then" : "In between"}: ${counts.join(", ")}`;
}
