import { AppError } from "@nts/shared/errors";

/**
 * The MAC address after an update; immutable once set. @param requested absent or null keeps the current one
 * @throws AppError `mac_address_immutable`
 * @see docs/api.md "Resources"
 */
export function nextMacAddress(current: string | null, requested: string | null | undefined): string | null {
  if (current !== null && requested !== null && requested !== undefined && requested !== current)
    throw new AppError("mac_address_immutable");
  return current ?? requested ?? null;
}
