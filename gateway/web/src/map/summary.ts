import type { Topology } from "@nts/shared/contract";
import type { Mark } from "./past.js";

/** Numbers of nodes by kind. */
export function summaryOf({ nodes }: Topology): string {
  const count = { subnet: 0, host: 0, service: 0 };
  for (const { kind } of nodes) count[kind]++;
  const counted = (number: number, one: string): string =>
    `${number.toLocaleString("en")} ${one}${number === 1 ? "" : "s"}`;
  return `${counted(count.subnet, "subnet")}, ${counted(count.host, "host")}, ${counted(count.service, "service")}`;
}

/** Numbers of changes by kind. */
export function summaryOfMarks(marks: ReadonlyMap<string, Mark>): string {
  const count = { new: 0, gone: 0, changed: 0 };
  for (const mark of marks.values()) count[mark]++;
  const present = (["new", "gone", "changed"] as const).filter((mark) => count[mark] > 0);
  if (present.length === 0) return "The same as now";
  return `Since then: ${present.map((mark) => `${count[mark].toLocaleString("en")} ${mark}`).join(", ")}`;
}
