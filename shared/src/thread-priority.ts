import { setPriority } from "node:os";

/**
 * Lowers the priority of a worker thread behind requests. Only Linux has priorities of threads.
 *
 * @param nice 0 to 19 @param thread its id of the operating system; by default, the calling one
 */
export function lowerThreadPriority(nice: number, thread = 0): void {
  if (process.platform === "linux") setPriority(thread, nice);
}
