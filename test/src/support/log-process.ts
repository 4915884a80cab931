/**
 * Writes lines to its log, whose reader is the parent process, as the gateway does for requests. Its first argument is
 * their number. It reports its memory, and ends when it receives a message.
 */
import { setImmediate as nextTick } from "node:timers/promises";
import { createLines, createLog } from "@nts/shared/log";
import { createMetrics } from "@nts/shared/metrics";

/** About a hundred KiB of lines per tick. */
const LINES_PER_TICK = 250;

/** What the process sends to its parent after writing. */
export interface LogReport {
  readonly dropped: number;
  /** Bytes by which its memory has grown. */
  readonly grown: number;
}

const { registry } = createMetrics("test");
const write = createLines(createLog("test", "info"), "request");
const text = "x".repeat(300);
const before = process.memoryUsage.rss();
for (let line = 0; line < Number(process.argv[2]); line++) {
  write(`"line":${line},"text":"${text}"`);
  if (line % LINES_PER_TICK === 0) await nextTick();
}
await nextTick();

process.once("message", () => process.disconnect());
const dropped = await registry.getSingleMetric("nts_log_lines_dropped_total")?.get();
const report: LogReport = { dropped: dropped?.values[0]?.value ?? 0, grown: process.memoryUsage.rss() - before };
process.send?.(report);
