import { validationFailed } from "@nts/shared/errors";
import { getImportJob, importFile, importNmap, type QueryOf } from "@nts/shared/contract";
import { saidColumn } from "@nts/shared/contract/import-formats";
import { type HandlerResponse, respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserCall } from "@nts/shared/http/mount";
import type { Storage } from "../storage/storage.js";
import { type ImportParameters, importScan } from "../imports/import.js";
import type { ImportJobRunner } from "../imports/jobs/jobs.js";
import type { ImportRunner } from "../imports/runner.js";

/** nmap XML describes other machines. */
const OF_NMAP = { format: "nmap", host: { id: undefined, name: undefined }, resource: null, columns: [] } as const;

/** Accepted clock skew of clients. */
const SKEW_MS = 60_000;

/** What imports use. */
export interface Imports {
  readonly runner: ImportRunner;
  readonly jobs: ImportJobRunner;
}

export function mountImports(router: Router, storage: Storage, { runner, jobs }: Imports): void {
  mount(router, importNmap, (call) => {
    const { work, scope, query, log } = call;
    return imported(call, { work, scope, ...askedOf(query), ...OF_NMAP, log });
  });

  mount(router, importFile, (call) => {
    const { work, scope, params, query, log } = call;
    const host = { id: query.host_id, name: query.hostname };
    const { format } = params;
    const { resource = null } = query;
    const columns = query.columns.flatMap((said) => saidColumn(said) ?? []);
    return imported(call, { work, scope, ...askedOf(query), format, host, resource, columns, log });
  });

  async function imported(
    { body: file, prefersJob, principal, cause }: UserCall<typeof importNmap>,
    parameters: ImportParameters,
  ): Promise<HandlerResponse<never>> {
    if (!prefersJob) return respond.jsonPieces(importScan(storage, runner, { ...parameters, file }));
    const { kind, userId, credentialId } = principal;
    const keyId = kind === "key" ? credentialId : null;
    const starter = { userId, keyId, collectorId: null, requestId: cause.requestId };
    const job = await jobs.start(parameters, starter, file);
    return respond.accepted(job, getImportJob.path.replace("{id}", job.id));
  }
}

/** @throws AppError `validation_failed` for a time in the future */
function askedOf({ network_id, dry_run, subnet_hint, seen_at }: QueryOf<typeof importNmap>) {
  const nowMs = Date.now();
  const atMs = seen_at === undefined ? nowMs : Date.parse(seen_at);
  if (atMs > nowMs + SKEW_MS) throw validationFailed({ path: "seen_at", message: "must not be in the future" });
  return { networkId: network_id, isDry: dry_run, subnetHints: subnet_hint, atMs: Math.min(atMs, nowMs) };
}
