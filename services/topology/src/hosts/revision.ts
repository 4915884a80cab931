import type { ClientSession } from "mongodb";
import type { HostRecord } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Stored } from "../storage/entities.js";
import type { Storage } from "../storage/storage.js";

/**
 * What the ETag of a host is made from: its own revision, and those of its services added up. Services can change without
 * their host being written, and then their sum grows. Everything else about a host or on it writes the host, too: its own
 * revision grows whenever a service comes or goes, so that a sum which became smaller never makes an earlier pair again.
 */
export function hostRevision(own: number, ofServices: number): string {
  return `${own}-${ofServices}`;
}

/** The same of a host that a transaction has read. */
export async function hostRevisionIn(
  { services }: Pick<Storage, "services">,
  session: ClientSession,
  scope: Scope,
  { entity, revision }: Stored<HostRecord>,
): Promise<string> {
  return hostRevision(revision, await services.revisionsOn(session, scope, entity.id));
}
