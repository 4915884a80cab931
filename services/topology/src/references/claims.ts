import type { ClientSession } from "mongodb";
import { isId } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Counts, Guards, Reference } from "../storage/guards.js";

/** A reference in a request, with its path for errors. */
export interface Claim extends Reference {
  readonly path: string;
}

/** The claim for entities added to, or removed from, a network. */
export function networkClaim(networkId: string, counts: Counts): Claim {
  return { target: networkId, kind: "network", counts, path: "network_id" };
}

/**
 * Claims on new managed tags of an entity. Free labels may be anything; a label that looks like an id must be one of
 * the organization's tags.
 *
 * @param kept current tags of the entity
 */
export function tagClaims(tags: readonly string[], kept: readonly string[] = [], path = "tags"): Claim[] {
  return tags.flatMap((tag, index) =>
    isId(tag) && !kept.includes(tag) ? [{ target: tag, kind: "tag", path: `${path}.${index}` }] : [],
  );
}

/**
 * Prevents the deletion of everything claimed until the transaction ends.
 *
 * @throws AppError `invalid_reference` for the first missing target
 */
export async function requireReferences(
  guards: Guards,
  tx: ClientSession,
  scope: Scope,
  claims: readonly Claim[],
): Promise<void> {
  const missing = await guards.reference(tx, scope, claims);
  const first = missing.size === 0 ? undefined : claims.find(({ target }) => missing.has(target));
  if (first !== undefined) throw new AppError("invalid_reference", { path: first.path });
}
