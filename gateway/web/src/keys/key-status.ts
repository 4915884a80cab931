import type { UserApiKey } from "@nts/shared/contract";

/** Whether a key works: what an operator asks first. */
export function statusOf(
  { is_enabled, expires_at }: UserApiKey,
  nowMs: number = Date.now(),
): "Active" | "Disabled" | "Expired" {
  if (!is_enabled) return "Disabled";
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? "Expired" : "Active";
}
