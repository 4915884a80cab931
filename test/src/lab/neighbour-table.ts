/** All network namespaces of a machine share the kernel's limits of MAC addresses that it knows or asks for. */
import { readFile, writeFile } from "node:fs/promises";

const LIMITS = ["gc_thresh1", "gc_thresh2", "gc_thresh3"].map((name) => `/proc/sys/net/ipv4/neigh/default/${name}`);

/** Gives each of several laboratories the room that one has alone. @returns what undoes it */
export async function makeRoomForNeighbours(laboratories: number): Promise<() => Promise<void>> {
  const before = await Promise.all(LIMITS.map((path) => readFile(path, "utf8")));
  const set = async (factor: number): Promise<void> => {
    for (const [n, path] of LIMITS.entries()) await writeFile(path, String(Number(before[n]) * factor));
  };
  await set(laboratories);
  return () => set(1);
}
