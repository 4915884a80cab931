import type { ClientSession } from "mongodb";
import type { HostRecord } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
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
