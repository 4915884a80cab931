import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import { createFairQueue } from "@nts/shared/scheduling/fair-queue";
import type { LoginFailureStore } from "../../storage/login-failures.js";
import { type Allowances, OF_PASSWORDS, remainingMs } from "../../model/login-throttle.rules.js";

/**
 * Checks a password or code with protection against guessing. Attempts for one account from one address are serialized,
 * so that parallel ones gain nothing.
 *
 * @param account such as an email address
 * @param address of the client
 * @param check whether it is correct; if it throws, nothing is counted
 * @returns consecutive failures from this address, including this one; 0 if correct
 * @throws AppError `login_throttled` with the seconds until the next attempt; nothing is checked then
 */
export type ThrottledCheck = (account: string, address: string, check: () => Promise<boolean>) => Promise<number>;

export function createThrottledCheck(
  failures: LoginFailureStore,
  allowances: Allowances = OF_PASSWORDS,
): ThrottledCheck {
  const queue = createFairQueue({ ofKey: 1 });
  return (account, address, check) => {
    const guesser = { email: account, addressBlock: addressBlockOf(address) };
    const checkInTurn = async (): Promise<number> => {
      const found = await failures.find(guesser);
      const now = new Date();
      const waitMs = Math.max(
        remainingMs(found.fromAddress, allowances.fromAddress, now),
        remainingMs(found.fromEverywhere, allowances.fromEverywhere, now),
      );
      if (waitMs > 0) throw new AppError("login_throttled", { retry_after_seconds: Math.ceil(waitMs / 1000) });
      if (!(await check())) return failures.addFailure(guesser, new Date());
      await failures.addSuccess(guesser, new Date());
      return 0;
    };
    return queue.run(checkInTurn, `${guesser.addressBlock} ${account}`);
  };
}
