import { validationFailed } from "@nts/shared/errors";
import type { Work } from "@nts/shared/work";

// Rates passwords by the guesses of an attacker who knows the account's own words. As rating 128 digits takes 7 s, only
// start and end are rated, which is sufficient: a part must be guessed, too.

const JUDGED_CHARACTERS = 24;

/** What identifies an account; a password built from it is weak. */
export interface AccountWords {
  readonly email: string;
  /** The name of its organization. */
  readonly organization: string | undefined;
}

/** Why a password is too weak; null if it is not. @param words considered known */
export type JudgePassword = (parts: readonly string[], words: readonly string[], work: Work) => Promise<string | null>;

/** A password in a body. */
export interface PasswordAt {
  readonly path: string;
  readonly password: string;
}

/**
 * Rejects a weak password.
 *
 * @throws AppError `validation_failed` with the reason in `message` · `unavailable` if too many are queued
 */
export type RequireStrongPassword = (work: Work, given: PasswordAt, account: AccountWords) => Promise<void>;

export function createRequireStrongPassword(judge: JudgePassword): RequireStrongPassword {
  return async (work, { path, password }, account) => {
    const words = wordsOf(account);
    const reason = await judge(partsOf(password, words), words, work);
    if (reason !== null) throw validationFailed({ path, message: reason });
  };
}

/**
 * The parts of a password of which one must be strong. Repetitions are reduced; in long passwords the account's own
 * words are removed, as one cut at a boundary would not be recognized.
 *
 * @param words in lower case
 */
export function partsOf(password: string, words: readonly string[]): string[] {
  const unit = repeatedIn(password);
  const judged = unit.length <= JUDGED_CHARACTERS ? unit : without(unit, words);
  if (judged.length <= JUDGED_CHARACTERS) return [judged];
  return [judged.slice(0, JUDGED_CHARACTERS), judged.slice(-JUDGED_CHARACTERS)];
}

function without(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((left, word) => left.replaceAll(word, ""), lower);
  return rest === lower ? text : rest;
}

/**
 * The shortest prefix whose repetition forms the password, the last one possibly cut off; the password itself if there
 * is none.
 */
function repeatedIn(password: string): string {
  for (let length = 1; length <= password.length / 2; length++)
    if (password.startsWith(password.slice(length))) return password.slice(0, length);
  return password;
}

/** The words of an account, whole and split, without very short ones. */
export function wordsOf({ email, organization = "" }: AccountWords): string[] {
  const wholes = [email, ...email.split("@"), organization];
  const words = wholes.flatMap((whole) => [whole, ...whole.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 2);
}
