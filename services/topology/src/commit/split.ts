import type { ClientSession } from "mongodb";
import { AppError, validationFailed } from "@nts/shared/errors";
import { newId } from "@nts/shared/ids";
import { splitOf } from "../hosts/split.rules.js";
import type { Storage } from "../storage/storage.js";
import type { KnownHost } from "../storage/stores/hosts.js";
import { requireHostRevision } from "./host-revision.js";
import { lockedWithChildren, storeAtOnce } from "./merge.js";
import { transactionOnHosts } from "./on-hosts.js";
import type { Updating } from "./writer.js";

/** A host to be split. */
export interface SplittingHost extends Updating {
  /** Of the interfaces that the new host gets. */
  readonly interfaceIds: readonly string[];
  readonly name: string;
}

/**
 * Splits a host: a new one gets some of its interfaces, and what is bound to them.
 *
 * @param respond made in the transaction that has written it, for the id of the new host
 * @throws AppError `not_found` · `invalid_reference` at an interface · `validation_failed` if none would be left ·
 * `precondition_failed` · `quota_exceeded` · `too_many_changes`
 */
export async function commitSplit<R>(
  storage: Storage,
  { work, scope, id, interfaceIds, name, precondition }: SplittingHost,
  respond: (tx: ClientSession, newId: string) => Promise<R>,
): Promise<R> {
  await storage.quota.require(scope);
  return transactionOnHosts(storage, { work, scope, hostIds: [id] }, async (tx) => {
    const before = await storage.hosts.get(scope, id, tx);
    await requireHostRevision(storage, tx, scope, { host: before, precondition });
    const known = (await lockedWithChildren(storage, tx, scope, [id]))(id);
    requireInterfaces(known, interfaceIds);
    const splitting = { interfaceIds: new Set(interfaceIds), name, now: new Date(), newId };
    const { host, changes } = splitOf(known, splitting);
    await storeAtOnce(storage, tx, scope, { changes });
    return respond(tx, host.id);
  });
}

/** @throws AppError `invalid_reference` · `validation_failed` */
function requireInterfaces({ interfaces }: KnownHost, ids: readonly string[]): void {
  const own = new Set(interfaces.map(({ entity }) => entity.id));
  const foreign = ids.findIndex((id) => !own.has(id));
  if (foreign !== -1) throw new AppError("invalid_reference", { path: `interface_ids.${foreign}` });
  if (new Set(ids).size === own.size)
    throw validationFailed({ path: "interface_ids", message: "must leave the host at least one interface" });
}
