import type { BodyInputOf, updateHost, Virtualization } from "@nts/shared/contract";
import { orNull } from "./values.js";

/** Form values of `virtualization`, with the details as JSON text. */
export interface VirtualizationValues {
  readonly type: string;
  readonly details: string;
}

type VirtualizationInput = NonNullable<BodyInputOf<typeof updateHost>["virtualization"]>;
type Details = NonNullable<VirtualizationInput["details"]>;

export function virtualizationValues(virtualization: Virtualization | null): VirtualizationValues {
  const { type, details } = virtualization ?? { type: "", details: {} };
  return { type, details: Object.keys(details).length === 0 ? "" : JSON.stringify(details, null, 2) };
}

/** The value to send; null if empty. Details were validated by {@link detailsFault}. */
export function virtualizationOf({ type, details }: VirtualizationValues): VirtualizationInput | null {
  if (orNull(type) === null && orNull(details) === null) return null;
  return { type, details: orNull(details) === null ? {} : (JSON.parse(details) as Details) };
}

/** Why a text is invalid as details; null if it is valid. */
export function detailsFault({ details }: VirtualizationValues): string | null {
  if (orNull(details) === null) return null;
  try {
    const value: unknown = JSON.parse(details);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? null
      : "This must be an object, { … }.";
  } catch {
    return "This is not JSON.";
  }
}
