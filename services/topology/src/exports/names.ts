import type { Network, Tag } from "@nts/shared/contract";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Entities } from "../storage/entities.js";
import { creationIndex, SMALL_COLLECTION_INDEX } from "../storage/indexes.js";
import type { Storage } from "../storage/storage.js";
import type { Names } from "./formats/writer.rules.js";

/** The names of networks and managed tags, of which an organization has few. */
export async function readNames({ networks, tags }: Pick<Storage, "networks" | "tags">, scope: Scope): Promise<Names> {
  const [ofNetworks, ofTags] = await Promise.all([namesOf(networks, scope), namesOf(tags, scope)]);
  return { network: (id) => ofNetworks.get(id) ?? id, tag: (tag) => ofTags.get(tag) ?? tag };
}

/** The names of networks by id, ordered by creation time. */
export function readNetworkNames(
  { networks }: Pick<Storage, "networks">,
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  return namesOf(networks, scope);
}

async function namesOf<T extends Network | Tag>(
  { readStored, within }: Entities<T>,
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const batch of readStored(scope, { filter: within(scope), hint: SMALL_COLLECTION_INDEX }))
    for (const { entity } of batch) names.set(entity.id, entity.name);
  return names;
}

/** The CIDRs of subnets by id, ordered by creation time. */
export async function readSubnets(
  { subnets: { readStored, within } }: Pick<Storage, "subnets">,
  scope: Scope,
): Promise<ReadonlyMap<string, string>> {
  const cidrs = new Map<string, string>();
  const hint = creationIndex(scope.networks !== "all");
  for await (const batch of readStored(scope, { filter: within(scope), sort: { created_at: 1, _id: 1 }, hint }))
    for (const { entity } of batch) cidrs.set(entity.id, entity.cidr);
  return cidrs;
}
