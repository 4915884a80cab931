import { setPriority } from "node:os";

/**
 * Lowers the priority of the calling worker thread, so that requests come first when processors are busy. Only Linux has
 * priorities of threads.
 *
 * @param nice 0 to 19; each step leaves it about a fifth less processor time than threads that are also busy
 */
export function lowerThreadPriority(nice: number): void {
  if (process.platform === "linux") setPriority(nice);
}
