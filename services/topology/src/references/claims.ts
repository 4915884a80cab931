import type { ClientSession } from "mongodb";
import { isId } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Counts, Guards, Reference } from "../storage/guards.js";

/** A reference in a request, with its place in the body for the error that names it. */
export interface Claim extends Reference {
  readonly path: string;
}

/** The claim of something that is added to a network, or of what it loses. */
export function networkClaim(networkId: string, counts: Counts): Claim {
  return { target: networkId, kind: "network", counts, path: "network_id" };
}

/**
 * The claims of the managed tags that an entity gets. Free labels may be anything; a tag in the form of an id must be one
 * of the organization's.
 *
 * @param kept tags that the entity has already
 */
export function tagClaims(tags: readonly string[], kept: readonly string[] = [], path = "tags"): Claim[] {
  return tags.flatMap((tag, index) =>
    isId(tag) && !kept.includes(tag) ? [{ target: tag, kind: "tag", path: `${path}.${index}` }] : [],
  );
}

/**
 * Keeps everything that is claimed from being deleted until the transaction ends.
 *
 * @throws AppError `invalid_reference` at the first claim of something that is not there
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
