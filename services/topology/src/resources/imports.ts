import { validationFailed } from "@nts/shared/errors";
import { importFile, importNmap, type QueryOf } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import type { Storage } from "../storage/storage.js";
import { importScan } from "../imports/import.js";
import type { ImportRunner } from "../imports/runner.js";

/** nmap XML describes other machines. */
const OF_NMAP = { format: "nmap", host: { id: undefined, name: undefined }, resource: null } as const;

/** Accepted clock skew of clients. */
const SKEW_MS = 60_000;

export function mountImports(router: Router, storage: Storage, runner: ImportRunner): void {
  mount(router, importNmap, ({ work, scope, query, body: file, log }) => {
    const request = { work, scope, ...askedOf(query), ...OF_NMAP, file, log };
    return Promise.resolve(respond.jsonPieces(importScan(storage, runner, request)));
  });

  mount(router, importFile, ({ work, scope, params, query, body: file, log }) => {
    const host = { id: query.host_id, name: query.hostname };
    const { format } = params;
    const request = { work, scope, ...askedOf(query), format, host, resource: query.resource ?? null, file, log };
    return Promise.resolve(respond.jsonPieces(importScan(storage, runner, request)));
  });
}

/** @throws AppError `validation_failed` for a time in the future */
function askedOf({ network_id, dry_run, subnet_hint, seen_at }: QueryOf<typeof importNmap>) {
  const nowMs = Date.now();
  const atMs = seen_at === undefined ? nowMs : Date.parse(seen_at);
  if (atMs > nowMs + SKEW_MS) throw validationFailed({ path: "seen_at", message: "must not be in the future" });
  return { networkId: network_id, isDry: dry_run, subnetHints: subnet_hint, atMs: Math.min(atMs, nowMs) };
}
