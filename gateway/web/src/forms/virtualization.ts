import type { BodyInputOf, updateHost, Virtualization } from "@nts/shared/contract";
import { canonicalId, isId } from "@nts/shared/contract";
import { type AttributeRow, valueOfRow } from "./attributes.js";
import { orNull } from "./values.js";

/** The host or service that something runs on. */
export interface Runner {
  readonly kind: "host" | "service";
  readonly id: string;
}

/** Form values of `virtualization`: what the details say of the runner is chosen, other texts and numbers are rows. */
export interface VirtualizationValues {
  readonly type: string;
  readonly runner: Runner | null;
  readonly details: readonly AttributeRow[];
  /** As the API has them. */
  readonly stored: Details;
}

type VirtualizationInput = NonNullable<BodyInputOf<typeof updateHost>["virtualization"]>;
type Details = NonNullable<VirtualizationInput["details"]>;

const RUNNER_KEYS = { service: "service_id", host: "host_id" } as const;

export function virtualizationValues(virtualization: Virtualization | null): VirtualizationValues {
  const { type, details } = virtualization ?? { type: "", details: {} };
  const rows = Object.entries(details).flatMap(([key, stored]): AttributeRow[] =>
    isRow(key, stored) ? [{ key, text: String(stored), stored }] : [],
  );
  return { type, runner: runnerIn(details), details: rows, stored: details };
}

/** The value to send; null if nothing is filled in. Details that the form cannot show stay as they are. */
export function virtualizationOf(values: VirtualizationValues): VirtualizationInput | null {
  const { type, runner, details: rows, stored } = values;
  const written = new Map(
    rows
      .filter(({ key, text }) => key.trim() !== "" || text.trim() !== "")
      .map((row) => [row.key.trim(), valueOfRow(row)]),
  );
  const details: Record<string, unknown> = {};
  const isSameRunner = JSON.stringify(runner) === JSON.stringify(runnerIn(stored));
  if (!isSameRunner && runner !== null) details[RUNNER_KEYS[runner.kind]] = runner.id;
  for (const [key, value] of Object.entries(stored)) {
    if (isRunnerKey(key, value)) {
      if (isSameRunner) details[key] = value;
    } else if (!isRow(key, value)) details[key] = value;
    else if (written.has(key)) details[key] = written.get(key);
  }
  const all = { ...details, ...Object.fromEntries(written) } as Details;
  return orNull(type) === null && Object.keys(all).length === 0 ? null : { type, details: all };
}

/** The number of details that are no texts, numbers or yes and no. */
export function keptDetails({ stored }: VirtualizationValues): number {
  return Object.entries(stored).filter(([key, value]) => !isRunnerKey(key, value) && !isRow(key, value)).length;
}

/** What the details name first, as in the graph. */
function runnerIn(details: Readonly<Record<string, unknown>>): Runner | null {
  for (const kind of ["service", "host"] as const) {
    const id = details[RUNNER_KEYS[kind]];
    if (typeof id === "string" && isId(canonicalId(id))) return { kind, id: canonicalId(id) };
  }
  return null;
}

function isRunnerKey(key: string, value: unknown): boolean {
  const isNamed = key === RUNNER_KEYS.host || key === RUNNER_KEYS.service;
  return isNamed && typeof value === "string" && isId(canonicalId(value));
}

function isRow(key: string, value: unknown): value is NonNullable<AttributeRow["stored"]> {
  return !isRunnerKey(key, value) && ["string", "number", "boolean"].includes(typeof value);
}
