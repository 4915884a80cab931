import { maskApiKey } from "@nts/shared/api-key";
import type { UserApiKey } from "@nts/shared/contract/keys";
import { networkIdsOf, type KeyDocument } from "./key.rules.js";

/** A key as answered, its secrets masked. @param userNetworkIds networks that its user may use now */
export function keyAnswer(key: KeyDocument, userNetworkIds: readonly string[], now = new Date()): UserApiKey {
  const { previous } = key;
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
    is_enabled: key.is_enabled,
    network_ids: networkIdsOf(key, userNetworkIds),
    restricted: key.network_ids !== null,
    permissions: key.permissions,
    allowed_ips: key.allowed_ips,
    rate_limit_per_minute: key.rate_limit_per_minute,
    previous:
      previous === null || previous.expires_at <= now
        ? null
        : { expires_at: previous.expires_at.toISOString(), last_used: previous.last_used?.toISOString() ?? null },
  };
}
