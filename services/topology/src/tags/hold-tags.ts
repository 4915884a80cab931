import type { ClientSession } from "mongodb";
import { isId } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import type { Scope } from "@nts/shared/http/tenancy";
import type { Guards } from "../storage/guards.js";

/**
 * Checks the managed tags that an entity gets, and keeps them from being deleted until the transaction ends. Free
 * labels may be anything; a tag in the form of an id must be one of the organization's.
 *
 * @param kept tags that the entity has already
 * @throws AppError `invalid_reference` at the first tag that is not there
 */
export async function holdTags(
  guards: Guards,
  session: ClientSession,
  { organizationId }: Scope,
  { tags, kept = [], path = "tags" }: { tags: readonly string[]; kept?: readonly string[]; path?: string },
): Promise<void> {
  for (const [index, tag] of tags.entries()) {
    if (!isId(tag) || kept.includes(tag)) continue;
    const held = await guards.hold(session, { organizationId, networks: "all" }, tag, "tag");
    if (!held) throw new AppError("invalid_reference", { path: `${path}.${index}` });
  }
}
