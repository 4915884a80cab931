import type { ObservedOfHost } from "@nts/shared/contract";
import { type Mark, marksOf } from "@nts/shared/contract/marks.rules";

/** The marks of a host, as sources say. */
export function marksObserved(observed: ObservedOfHost | null): readonly Mark[] {
  if (observed === null) return [];
  const { serial, duid, machine_id: id, model } = observed;
  return marksOf({ serial: serial?.value, duid: duid?.value, machine_id: id?.value, model: model?.value });
}

/** Their keys, by which imports find the host. */
export function markKeysOf(observed: ObservedOfHost | null): string[] {
  return marksObserved(observed).map(({ key }) => key);
}
