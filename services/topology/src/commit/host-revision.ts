import type { ClientSession } from "mongodb";
import type { HostRecord } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import { type Precondition, requireRevision } from "@nts/shared/revision";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";
import { hostRevision } from "../storage/stores/host-revision.rules.js";

/** The revision of a host as read by a transaction. */
export async function hostRevisionIn(
  { services }: Pick<Storage, "services">,
  tx: ClientSession,
  scope: Scope,
  { entity, revision }: Stored<HostRecord>,
): Promise<string> {
  return hostRevision(revision, await services.revisionsOn(tx, scope, entity.id));
}

/** A host must have a revision, which covers its children; they are locked. @throws AppError `precondition_failed` */
export async function requireHostRevision(
  storage: Pick<Storage, "services">,
  tx: ClientSession,
  scope: Scope,
  { host, precondition }: { readonly host: Stored<HostRecord>; readonly precondition: Precondition | null },
): Promise<void> {
  if (precondition === null) return;
  requireRevision(precondition, await hostRevisionIn(storage, tx, scope, host));
  await storage.services.lockAllOn(tx, scope, host.entity.id);
}
