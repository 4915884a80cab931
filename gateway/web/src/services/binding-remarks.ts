import type { BindingVerdict } from "@nts/shared/contract";

/** A remark on a binding before it is sent. */
export interface Remark {
  readonly kind: "left-out" | "refused";
  readonly text: string;
}

/** Remarks by index of the binding; texts number bindings from 1. */
export function remarksOn({ removed, foreign, conflicts }: BindingVerdict): ReadonlyMap<number, readonly Remark[]> {
  const remarks = new Map<number, Remark[]>();
  const add = (index: number, remark: Remark): void => {
    remarks.set(index, [...(remarks.get(index) ?? []), remark]);
  };
  for (const { index, because, of } of removed) {
    const text =
      because === "duplicate"
        ? `Will be dropped: duplicate of binding ${of + 1}.`
        : `Will be dropped: covered by binding ${of + 1} (all interfaces).`;
    add(index, { kind: "left-out", text });
  }
  for (const { index } of foreign)
    add(index, { kind: "refused", text: "Invalid: the port or interface is not on this host." });
  for (const { index, conflicts_with: other } of conflicts) {
    const meets = (number: number): string => `Conflict: binding ${number + 1} claims the same interface.`;
    add(index, { kind: "refused", text: meets(other) });
    add(other, { kind: "refused", text: meets(index) });
  }
  return remarks;
}
