import { open } from "node:fs/promises";

const TAIL_BYTES = 16_384;
const LONGEST_LINE = 400;

/** The last lines of a log, long ones truncated; empty if there is no log. */
export async function lastLines(file: string, count: number): Promise<string[]> {
  const handle = await open(file, "r").catch(() => null);
  if (handle === null) return [];
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.subarray(0, bytesRead).toString("utf8").split("\n");
    return lines
      .filter((line) => line.trim() !== "")
      .slice(-count)
      .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line));
  } finally {
    await handle.close();
  }
}
