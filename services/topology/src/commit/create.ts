import type { ClientSession } from "mongodb";
import { type KindOnHost, pluralOf, type PluralOf } from "@nts/shared/contract/kinds";
import type { NewHost } from "../hosts/new-host.js";
import { placeNew } from "../hosts/positions.rules.js";
import type { TransactionBody } from "@nts/shared/work";
import type { EntityIn } from "../kinds/index.js";
import { refusingDuplicates } from "../storage/duplicates.js";
import type { Entities } from "../storage/entities.js";
import { LIMITED } from "../storage/quota.js";
import type { Storage } from "../storage/storage.js";
import type { LockedHost } from "../storage/stores/host-locks.js";
import { type Changes, completed, createdIn, idsOf } from "./changes.rules.js";
import { countOn, lockHostFor, transactionOnHosts } from "./on-hosts.js";
import { type Positioned, shifted } from "./positions.js";
import { store, type Storing } from "./store.js";
import type { Writer } from "./writer.js";

/**
 * Creates entities, other than children of existing hosts, in one transaction.
 *
 * @throws AppError `quota_exceeded` · `already_exists`, and as {@link store}
 */
export async function commitNew(storage: Storage, { work, scope }: Writer, changes: Changes): Promise<void> {
  const whole = completed(changes);
  const limited = LIMITED.find((kind) => whole[kind].created.length > 0);
  await storage.quota.require(scope, limited);
  const keys = idsOf(createdIn(whole));
  await refusingDuplicates(() => storage.transaction(work, keys, (tx) => store(storage, tx, scope, { changes })));
}

/** A new child of a host. */
export interface NewChild<Name extends KindOnHost> extends Writer {
  readonly kind: Name;
  readonly id: string;
  readonly hostId: string;
  readonly networkId: string;
  /** In the list of its host; absent for the last one. */
  readonly position?: number | undefined;
}

/** Where a new child is placed. */
export interface Placement {
  readonly tx: ClientSession;
  readonly attempt: number;
  /** Locked, with the new child. */
  readonly host: LockedHost;
  readonly position: number;
}

/**
 * Creates a child of a host.
 *
 * @param make decides what it is
 * @throws AppError `quota_exceeded` · `invalid_reference` · `network_mismatch` · `already_exists`, and as {@link store}
 */
export async function commitNewOnHost<Name extends KindOnHost>(
  storage: Storage,
  { work, scope, kind, id, hostId, networkId, position: requested }: NewChild<Name>,
  make: (placement: Placement) => Promise<EntityIn<PluralOf<Name>>> | EntityIn<PluralOf<Name>>,
  storing: Pick<Storing, "areAddressesGiven"> = {},
): Promise<EntityIn<PluralOf<Name>>> {
  const plural = pluralOf(kind);
  await storage.quota.require(scope);
  const change = plural === "services" ? { services: 1 } : { add: { [plural]: [id] } };
  const create: TransactionBody<EntityIn<PluralOf<Name>>> = async (tx, attempt = 0) => {
    const host = await lockHostFor(storage, tx, scope, { hostId, networkId, change });
    const { position, shift } = placeNew(requested, countOn(host, plural) - 1);
    const created = await make({ tx, attempt, host, position });
    const siblings = storage[plural] as unknown as Entities<Positioned>;
    const changed = await shifted(siblings, tx, scope, { hostId, shift, except: id, now: new Date() });
    const changes = { [plural]: { created: [created], changed } } as Changes;
    await store(storage, tx, scope, { ...storing, changes, hosts: new Map([[hostId, host]]) });
    return created;
  };
  return refusingDuplicates(() =>
    // Only a new service writes others that are also written without a transaction.
    plural === "services"
      ? transactionOnHosts(storage, { work, scope, hostIds: [hostId] }, create)
      : storage.transaction(work, [hostId], create),
  );
}

/**
 * Creates a host with its children.
 *
 * @param make what it is, with the addresses that it takes in the transaction
 * @throws AppError as {@link commitNew}
 */
export async function commitNewHost(
  storage: Storage,
  { work, scope, id }: Writer & { readonly id: string },
  make: (tx: ClientSession, attempt: number) => Promise<NewHost>,
): Promise<NewHost> {
  await storage.quota.require(scope);
  return refusingDuplicates(() =>
    storage.transaction(work, [id], async (tx, attempt = 0) => {
      const made = await make(tx, attempt);
      await store(storage, tx, scope, { changes: newHosts([made]) });
      return made;
    }),
  );
}

/** The changes that create hosts with their children. */
export function newHosts(made: readonly NewHost[]): Changes {
  return {
    hosts: { created: made.map(({ host }) => host) },
    interfaces: { created: made.flatMap(({ interfaces }) => interfaces) },
    ports: { created: made.flatMap(({ ports }) => ports) },
    services: { created: made.flatMap(({ services }) => services) },
  };
}
