import { readFileSync, readlinkSync } from "node:fs";

// CPU time of a thread, from Linux as Node 20 does not provide it. Elsewhere the time since an import began is used as
// an upper bound.

/** Clock ticks per second of the kernel's accounting. */
const TICKS_PER_SECOND = 100;

/** The operating system's id of the calling thread; null if unknown. */
export function threadId(): string | null {
  try {
    return readlinkSync("/proc/thread-self").split("/").at(-1) ?? null;
  } catch {
    return null;
  }
}

/** CPU seconds used by a thread of this process; null if unknown. */
export function threadSeconds(id: string): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "latin1");
    // The thread's name, in parentheses, may contain anything; user and system time are fields 12 and 13 after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks / TICKS_PER_SECOND : null;
  } catch {
    return null;
  }
}
