import type { UserDocument } from "./user.js";

/** Whether sign-in is blocked and API keys are rejected. */
export function isDisabled({ disabled_at }: Pick<UserDocument, "disabled_at">): boolean {
  return (disabled_at ?? null) !== null;
}
