import { readFileSync, readlinkSync } from "node:fs";

// Linux tells the processor time of each thread; Node 20 does not. Elsewhere the time since the thread's start stands for
// it, which is never less.

/** Clock ticks of the kernel's accounting. */
const TICKS_PER_SECOND = 100;

/** The id of the calling thread for the operating system; null where it is not told. */
export function threadId(): string | null {
  try {
    return readlinkSync("/proc/thread-self").split("/").at(-1) ?? null;
  } catch {
    return null;
  }
}

/** Seconds of processor time that a thread of this process has used; null where it is not told. */
export function threadSeconds(id: string): number | null {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "latin1");
    // The name of the thread, in brackets, may hold anything; user and system time are the 12th and 13th after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks / TICKS_PER_SECOND : null;
  } catch {
    return null;
  }
}
