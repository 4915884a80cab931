import { AppError } from "@nts/shared/errors";
import type { Work } from "@nts/shared/work";
import type { FailedLogins } from "../../audit/failed-logins.js";
import type { ThrottledCheck } from "../sign-in/throttled-check.js";
import { readCode, stepOf } from "../../secrets/second-factor-codes.js";
import { accountOfCodes } from "../../model/second-factor.js";
import type { GuardedUser } from "../../model/user.js";
import type { SecretCipher } from "../../secrets/secret-cipher.js";
import type { CodeUse } from "../../storage/second-factors.js";

/** The request with a code. */
interface CodeRequest {
  readonly clientAddress: string;
  readonly work: Work;
}

/**
 * Checks a code with protection against guessing.
 *
 * @returns what to write, in the transaction for which the code is given, for it to count
 * @throws AppError `second_factor_invalid` · `login_throttled` · `second_factor_not_configured`
 */
export type CheckCode = (user: GuardedUser, code: string, request: CodeRequest) => Promise<CodeUse>;

export interface CheckCodeOptions {
  readonly throttledCheck: ThrottledCheck;
  readonly cipher: SecretCipher;
  readonly failedLogins: FailedLogins;
}

export function createCheckCode({ throttledCheck, cipher, failedLogins }: CheckCodeOptions): CheckCode {
  return async (user, code, { clientAddress, work }) => {
    let use = null as CodeUse | null;
    const failures = await throttledCheck(accountOfCodes(user), clientAddress, () => {
      use = useOf(user, code, cipher);
      return Promise.resolve(use !== null);
    });
    if (use !== null) return use;
    failedLogins.note(user, failures, work, "second_factor_failed");
    throw new AppError("second_factor_invalid");
  };
}

function useOf(user: GuardedUser, text: string, cipher: SecretCipher): CodeUse | null {
  const { _id, second_factor: factor } = user;
  const code = readCode(text);
  if (code === null) return null;
  if (code.kind === "recovery") return factor.recovery.includes(code.hash) ? code : null;
  const secret = cipher.open(factor.secret, _id);
  const step = stepOf(secret, code.digits, new Date(), factor.last_step);
  if (step === null) return null;
  // Each sign-in re-encrypts the stored secret with the current key.
  return { kind: "digits", step, secret: cipher.isCurrent(factor.secret) ? factor.secret : cipher.seal(secret, _id) };
}
