import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import { createKeyedQueue } from "@nts/shared/mongo/queue";
import type { LoginFailureStore } from "./store.js";
import { type Allowances, OF_PASSWORDS, remainingMs } from "./throttle.rules.js";

/**
 * Checks a password, or a code, on behalf of somebody who may be guessing. Guesses about one account from one address wait for each
 * other, so that many at once get through no further than many in a row.
 *
 * @param account what is guessed at, such as an email address
 * @param address of the client
 * @param check tells whether it is right; when it throws, nothing is counted
 * @returns the wrong ones in a row, from this address; 0 when it was right
 * @throws AppError `login_throttled` with the seconds until the next try; nothing is checked then
 */
export type Guess = (account: string, address: string, check: () => Promise<boolean>) => Promise<number>;

export function createGuess(failures: LoginFailureStore, allowances: Allowances = OF_PASSWORDS): Guess {
  const queue = createKeyedQueue();
  return (account, address, check) => {
    const guesser = { email: account, addressBlock: addressBlockOf(address) };
    return queue.run([`${guesser.addressBlock} ${account}`], async () => {
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
    });
  };
}
