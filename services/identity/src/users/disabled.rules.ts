import type { UserDocument } from "./user.js";

/** Whether nobody can sign in to the account, and its keys are refused. */
export function isDisabled({ disabled_at }: Pick<UserDocument, "disabled_at">): boolean {
  return (disabled_at ?? null) !== null;
}
