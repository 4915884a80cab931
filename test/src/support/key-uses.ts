/** Reports of gateways about the use of keys. */
import { randomUUID } from "node:crypto";
import type { BodyOf } from "@nts/shared/contract";
import type { recordKeyUses } from "@nts/shared/contract/internal";

type Report = BodyOf<typeof recordKeyUses>;
type Use = Report["uses"][number];

/** A report of what is given, by default the first one of a gateway. */
export function aReportOf(
  uses: readonly (Pick<Use, "key_id" | "used_at"> & Partial<Use>)[],
  { report, refusals = [] }: Partial<Pick<Report, "report" | "refusals">> = {},
): Report {
  return {
    report: report ?? { gateway: randomUUID(), number: 1, at: new Date().toISOString() },
    uses: uses.map((use) => ({ addresses: [], requests: 0, is_previous: false, ...use })),
    refusals: [...refusals],
  };
}
