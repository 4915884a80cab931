import { AppError } from "@nts/shared/errors";

/**
 * The MAC address after an update; immutable once set. @param wanted absent or null keeps the current one
 * @throws AppError `mac_address_immutable`
 * @see docs/api.md "Resources"
 */
export function nextMacAddress(current: string | null, wanted: string | null | undefined): string | null {
  if (current !== null && wanted !== null && wanted !== undefined && wanted !== current)
    throw new AppError("mac_address_immutable");
  return current ?? wanted ?? null;
}
