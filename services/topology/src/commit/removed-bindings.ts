import type { ClientSession } from "mongodb";
import type { BindingInput, HostCreate } from "@nts/shared/contract";
import type { BindingJudge } from "@nts/shared/contract/bindings.rules";
import { recorderOf } from "@nts/shared/writes/recorder";
import { judgeOfNew } from "../hosts/bindings.rules.js";

/** Reports removed bindings of the request to the plan. @param service its index in the body of a new host */
export function reportRemovedBindings(
  tx: ClientSession,
  requested: readonly BindingInput[],
  judge: BindingJudge,
  service?: number,
): void {
  const recorder = recorderOf(tx);
  if (recorder === undefined) return;
  const removed = judge(requested).removed.map(({ index, because, of }) => ({
    ...(service !== undefined && { service }),
    index,
    reason: because === "duplicate" ? ("duplicate" as const) : ("covered_by_all_interfaces" as const),
    kept_index: of,
  }));
  recorder.removedBindings(removed);
}

/** The same for the services of a new host, which use local ids. */
export function reportRemovedBindingsOfHost(tx: ClientSession, body: HostCreate): void {
  const judge = judgeOfNew(body);
  body.services.forEach(({ bindings }, index) => {
    reportRemovedBindings(tx, bindings, judge, index);
  });
}
