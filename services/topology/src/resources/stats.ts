import { getStats } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { JournalReader } from "../journal/read.js";
import { count } from "../stats/count.js";
import { createCachedStats } from "../stats/cached.js";
import { jsonOf } from "../stats/exact.rules.js";
import { narrowedTo } from "../storage/scope.js";
import type { Storage } from "../storage/storage.js";

/** Returns statistics. */
export function mountStats(router: Router, storage: Storage, reader: JournalReader): void {
  const kept = createCachedStats();
  mount(router, getStats, async ({ scope: whole, principal, query: { network_id: networkId } }) => {
    const scope = narrowedTo(whole, networkId);
    const rights = narrowedTo(principal.scope, networkId);
    const { stats, etag } = await kept({ scope, rights }, () =>
      count(storage, reader, { scope, rights, now: new Date() }),
    );
    return respond.json(jsonOf(stats), { revision: etag });
  });
}
