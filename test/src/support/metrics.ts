/** Reads `/metrics` of a process. */
import type { ProcessHandle } from "./stack.js";

/** A line of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** All samples of a process, in order. */
export async function samplesOf({ opsUrl }: Pick<ProcessHandle, "opsUrl">): Promise<Sample[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = "", text = ""]) => [label, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The names under which Prometheus would store the metrics of a process, also those without samples. */
export async function metricNamesOf({ opsUrl }: Pick<ProcessHandle, "opsUrl">): Promise<string[]> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
    type === "histogram" ? ["_bucket", "_count", "_sum"].map((suffix) => name + suffix) : [name],
  );
}

/** The sum of the samples of a name that have these labels, among others. @throws Error when there is none */
export async function metricOf(
  process: Pick<ProcessHandle, "opsUrl">,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const found = (await samplesOf(process)).filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text),
  );
  if (found.length === 0) throw new Error(`${name} ${JSON.stringify(labels)} is not among the metrics`);
  return found.reduce((sum, { value }) => sum + value, 0);
}
