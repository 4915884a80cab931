import { listAudit } from "@nts/shared/contract/audit";
import { AppError } from "@nts/shared/errors";
import { respond } from "@nts/shared/http/respond";
import { INTERNAL } from "@nts/shared/http/headers";
import { mount, type Router } from "@nts/shared/http/mount";
import { rangeOf } from "@nts/shared/numbered";
import { entryResponse } from "../model/audit-entry.rules.js";
import type { AuditReader } from "../audit/read.js";

export function mountAudit(router: Router, reader: AuditReader): void {
  mount(router, listAudit, async ({ scope: { organizationId }, query }) => {
    const { after, since, until, limit, order_direction: direction, ...filter } = query;
    const kept = await reader.kept(organizationId);
    const from = after === undefined ? null : numberIn(after, kept.last);
    const oldest = kept.first - 1;
    if (direction === "asc" && from !== null && from < oldest)
      throw new AppError("changes_gone", { oldest: String(oldest) });

    const range = await rangeOf(kept, { direction, from, since, until }, (time, within) =>
      reader.firstSince(organizationId, time, within),
    );
    const { entries, reached, isEnd } = await reader.page(organizationId, { filter, range, direction, limit });

    const next = direction === "desc" && (isEnd || reached === null) ? null : String(reached ?? from ?? oldest);
    const meta = JSON.stringify({ next, oldest: String(oldest) }).slice(0, -1);
    // The gateway adds the common members.
    return respond.json(`${JSON.stringify(entries.map(entryResponse))},"meta":${meta}`, {
      headers: { [INTERNAL.meta]: "open" },
    });
  });
}

/** @throws AppError `cursor_invalid` for an unknown cursor */
function numberIn(cursor: string, last: number): number {
  const n = /^\d{1,12}$/.test(cursor) ? Number(cursor) : NaN;
  if (!(n <= last)) throw new AppError("cursor_invalid");
  return n;
}
