import type { UserApiKey } from "@nts/shared/contract";

export function statusOf(
  { is_enabled, ends_at, assistant }: UserApiKey,
  nowMs: number = Date.now(),
): "Active" | "Disabled" | "Expired" {
  if (!is_enabled) return "Disabled";
  // An assistant renews its secret when it needs it.
  const end = assistant?.ends_at ?? ends_at;
  return end !== null && Date.parse(end) <= nowMs ? "Expired" : "Active";
}
