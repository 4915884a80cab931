import type { UserApiKey } from "@nts/shared/contract";

export function statusOf(
  { is_enabled, ends_at }: UserApiKey,
  nowMs: number = Date.now(),
): "Active" | "Disabled" | "Expired" {
  if (!is_enabled) return "Disabled";
  return ends_at !== null && Date.parse(ends_at) <= nowMs ? "Expired" : "Active";
}
