import type { ClientSession } from "mongodb";
import { KIND_NAMES, KINDS, type PluralOf } from "@nts/shared/contract/kinds";
import type { Scope } from "@nts/shared/http/tenancy";
import type { EntityIn, KindInNetworkAlone } from "../kinds/index.js";
import type { Entities, Entity } from "../storage/entities.js";
import type { GuardDocument } from "../storage/guards.js";
import type { Storage } from "../storage/storage.js";
import { requireReferences, networkClaim, tagClaims } from "./claims.js";

interface Inserted<Name extends KindInNetworkAlone> {
  readonly name: Name;
  readonly networkId: string;
  readonly inserted: readonly EntityIn<PluralOf<Name>>[];
}

/**
 * Inserts entities of one network, with guards if other kinds refer to theirs. @throws AppError `invalid_reference` if
 * the network or a tag does not exist
 */
export async function insertInNetwork<Name extends KindInNetworkAlone>(
  storage: Pick<Storage, "guards" | PluralOf<Name>>,
  tx: ClientSession,
  scope: Scope,
  { name, networkId, inserted }: Inserted<Name>,
): Promise<void> {
  if (inserted.length === 0) return;
  const { singular, plural } = KINDS[name];
  const { guards } = storage as Pick<Storage, "guards">;
  const entities = storage[plural as PluralOf<Name>] as unknown as Entities<Entity>;
  const tags = inserted.flatMap((entity) => ("tags" in entity ? tagClaims(entity.tags as string[]) : []));
  await requireReferences(guards, tx, scope, [networkClaim(networkId, { [plural]: inserted.length }), ...tags]);
  await entities.insert(tx, scope, inserted);
  if (!isReferredTo(name)) return;
  const owned = {
    kind: singular as GuardDocument["kind"],
    organization_id: scope.organizationId,
    network_id: networkId,
  };
  await guards.create(
    tx,
    inserted.map(({ id }) => ({ target: id, ...owned })),
  );
}

function isReferredTo(name: string): boolean {
  return KIND_NAMES.some((one) => (KINDS[one].refersTo as readonly string[]).includes(name));
}
