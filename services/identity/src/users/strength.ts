import { validationFailed } from "@nts/shared/errors";

// A password is judged by how many guesses somebody would need who knows dictionaries, keyboards, dates, and the account's
// own words. Judging takes longer the longer the password is, 7 s for 128 digits; so at most its beginning and its end are
// looked at, which is enough: who has to guess a part of it has to guess that first.

const JUDGED_CHARACTERS = 24;

/** What an account is known by; a password built from it is a weak one. */
export interface AccountWords {
  readonly email: string;
  /** The name of its organization. */
  readonly organization: string | undefined;
}

/** Why a password is too weak; null for one that is not. @param words to be taken for guessed */
export type JudgePassword = (parts: readonly string[], words: readonly string[]) => Promise<string | null>;

/**
 * Refuses a weak password.
 *
 * @param path where it stands in the body
 * @throws AppError `validation_failed` with the reason in `message` · `unavailable` when too many wait to be judged
 */
export type RequireStrongPassword = (path: string, password: string, account: AccountWords) => Promise<void>;

export function createRequireStrongPassword(judge: JudgePassword): RequireStrongPassword {
  return async (path, password, account) => {
    const words = wordsOf(account);
    const reason = await judge(partsOf(password, words), words);
    if (reason !== null) throw validationFailed({ path, message: reason });
  };
}

/**
 * The parts of a password of which one has to be strong. What only repeats something is as strong as that; of a long one the
 * account's own words are left out, since half of one at the edge of a part would not be recognized.
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

/** The shortest beginning of which a password consists, the last time perhaps cut off; all of it when nothing is repeated. */
function repeatedIn(password: string): string {
  for (let length = 1; length <= password.length / 2; length++)
    if (password.startsWith(password.slice(length))) return password.slice(0, length);
  return password;
}

/** The words of an account, as wholes and one by one, without those too short to matter. */
export function wordsOf({ email, organization = "" }: AccountWords): string[] {
  const wholes = [email, ...email.split("@"), organization];
  const words = wholes.flatMap((whole) => [whole, ...whole.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 2);
}
