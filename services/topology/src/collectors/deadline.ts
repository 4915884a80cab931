import { closesAfter } from "@nts/shared/collector-schedule";
import { addressesIn } from "@nts/shared/collector-targets";
import type { CollectorPlan } from "@nts/shared/contract/internal";

/** Addresses of the links of a machine, which are not known here. */
const USUAL_ADDRESSES = 4_096;
/** Packets for each address, and for each machine that answers. */
const PER_ADDRESS = 12;
const PER_MACHINE = 100;
const MOST_MACHINES = 1_000;
/** Times as long as sending takes. */
const PATIENCE = 3;
const LEAST_MS = 900_000;
const MOST_MS = 86_400_000;

/** When the final report must have arrived: by its targets and its rate, and not after the window. */
export function deadlineOf(
  { window, targets, packets_per_second }: Pick<CollectorPlan, "window" | "targets" | "packets_per_second">,
  now: Date,
): Date {
  const addresses = targets.cidrs.length === 0 ? USUAL_ADDRESSES : addressesIn(targets.cidrs);
  const packets = PER_ADDRESS * addresses + PER_MACHINE * Math.min(addresses, MOST_MACHINES);
  const ms = Math.min(MOST_MS, Math.max(LEAST_MS, (PATIENCE * packets * 1_000) / packets_per_second));
  const deadline = new Date(now.getTime() + ms);
  const closing = closesAfter(window, now);
  return closing !== null && closing < deadline ? closing : deadline;
}
