import { setPriority } from "node:os";

/** Lowers the priority of the calling worker thread behind requests. Only Linux has priorities of threads. @param nice 0 to 19 */
export function lowerThreadPriority(nice: number): void {
  if (process.platform === "linux") setPriority(nice);
}
