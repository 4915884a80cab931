import { maskApiKey } from "@nts/shared/api-key";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { networkIdsOf, type Grantor, type KeyDocument } from "./key.rules.js";
import { endOf, endOfPrevious } from "./key-lifetime.rules.js";

/**
 * A key as returned to clients, with masked secrets. @param holder its user, whose networks and organization limit it
 */
export function keyResponse(
  key: KeyDocument,
  { networkIds, maxLifetimeDays }: Pick<Grantor, "networkIds" | "maxLifetimeDays">,
  now = new Date(),
): UserApiKey {
  const previousEnd = endOfPrevious(key, maxLifetimeDays);
  return {
    id: key._id,
    created_at: key.created_at.toISOString(),
    updated_at: key.updated_at.toISOString(),
    key: maskApiKey(key.public_id),
    last_used: key.last_used?.toISOString() ?? null,
    name: key.name,
    organization_id: key.organization_id,
    user_id: key.user_id,
    tags: key.tags,
    expires_at: key.expires_at?.toISOString() ?? null,
    ends_at: endOf(key, maxLifetimeDays)?.toISOString() ?? null,
    is_enabled: key.is_enabled,
    network_ids: networkIdsOf(key, networkIds),
    restricted: key.network_ids !== null,
    permissions: key.permissions,
    scope: key.scope ?? "full",
    allowed_ips: key.allowed_ips,
    rate_limit_per_minute: key.rate_limit_per_minute,
    previous:
      previousEnd === null || previousEnd <= now
        ? null
        : { expires_at: previousEnd.toISOString(), last_used: key.previous?.last_used?.toISOString() ?? null },
    assistant:
      key.grant === undefined ? null : { name: key.grant.client_name, ends_at: key.grant.ends_at.toISOString() },
  };
}
