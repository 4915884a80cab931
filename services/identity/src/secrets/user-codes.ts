import { randomInt } from "node:crypto";
import { USER_CODE_LENGTH, USER_CODE_LETTERS } from "@nts/shared/contract/device-sign-in";

/** A code to be read and typed by a person: one of 25 billion. */
export function newUserCode(): string {
  return Array.from({ length: USER_CODE_LENGTH }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)]).join(
    "",
  );
}

/** In two halves. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, USER_CODE_LENGTH / 2)}-${code.slice(USER_CODE_LENGTH / 2)}`;
}

/** A code as typed, in its stored spelling. */
export function typedUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, "");
}
