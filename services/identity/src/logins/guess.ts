import { addressBlockOf } from "@nts/shared/address-block";
import { AppError } from "@nts/shared/errors";
import { createKeyedQueue } from "@nts/shared/mongo/queue";
import type { LoginFailureStore } from "./store.js";
import { FROM_EVERYWHERE, FROM_ONE_ADDRESS, remainingMs } from "./throttle.rules.js";

/**
 * Checks a password on behalf of somebody who may be guessing. Guesses about one account from one address wait for each
 * other, so that many at once get through no further than many in a row.
 *
 * @param address of the client
 * @param check tells whether the password is right; when it throws, nothing is counted
 * @returns the wrong ones in a row, from this address; 0 when it was right
 * @throws AppError `login_throttled` with the seconds until the next try; nothing is checked then
 */
export type Guess = (email: string, address: string, check: () => Promise<boolean>) => Promise<number>;

export function createGuess(failures: LoginFailureStore): Guess {
  const queue = createKeyedQueue();
  return (email, address, check) => {
    const guesser = { email, addressBlock: addressBlockOf(address) };
    return queue.run([`${guesser.addressBlock} ${email}`], async () => {
      const found = await failures.find(guesser);
      const now = new Date();
      const waitMs = Math.max(
        remainingMs(found.fromAddress, FROM_ONE_ADDRESS, now),
        remainingMs(found.fromEverywhere, FROM_EVERYWHERE, now),
      );
      if (waitMs > 0) throw new AppError("login_throttled", { retry_after_seconds: Math.ceil(waitMs / 1000) });
      if (!(await check())) return failures.addFailure(guesser, new Date());
      await failures.addSuccess(guesser, new Date());
      return 0;
    });
  };
}
