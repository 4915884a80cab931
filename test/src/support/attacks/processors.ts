/** The use of processors, from Linux. */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const TICK_MS = 10;

/** How long the first thread of a process was runnable without a processor; 0 when the process has ended. */
export function starvedMsOf(pid: number): number {
  return Number(read(`/proc/${pid}/schedstat`).split(" ")[1] ?? 0) / 1e6;
}

/** Processor time used outside of this test run: by other programs, and other virtual machines. */
export function usedByOthersMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbersIn(
    read("/proc/stat").split("\n")[0] ?? "",
  );
  return (user + nice + system + irq + softirq + steal) * TICK_MS - usedByRunMs();
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ms: number;
}

/** By the process after which the folder of the run is named, and all its descendants. */
function usedByRunMs(): number {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const processes = all.flatMap((name) => processOf(Number(name)));
  const run = new Set([Number(basename(process.env["NTS_TEST_DIR"] ?? "0"))]);
  for (let known = 0; known !== run.size;) {
    known = run.size;
    for (const { pid, parent } of processes) if (run.has(parent)) run.add(pid);
  }
  return processes.reduce((sum, { pid, ms }) => (run.has(pid) ? sum + ms : sum), 0);
}

/** With the time of its ended children; empty when the process has ended. */
function processOf(pid: number): Process[] {
  const text = read(`/proc/${pid}/stat`);
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = fields.slice(11);
  if (text === "") return [];
  return [{ pid, parent: fields[1] ?? 0, ms: (user + system + ofChildren + systemOfChildren) * TICK_MS }];
}

const numbersIn = (line: string): number[] => [...line.matchAll(/ (\d+)/g)].map(([, digits]) => Number(digits));

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
