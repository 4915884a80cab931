import type { Attack } from "../support/attacks/attack.js";
import { type Account, anAccount, callerOf } from "../support/api.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { codeOf, withSecondFactor } from "../support/second-factors.js";

const CHALLENGES = 40;
const GUESSES = 400;
const AT_A_TIME = 20;
/** The limit per account over all addresses, and the guesses in progress when it is reached. */
const MAX_CHECKED = 20 + AT_A_TIME;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

interface Prepared {
  readonly victim: Account;
  readonly neighbour: Account;
  readonly neighbourSecret: string;
}

/** An attacker who knows a password guesses codes: there are only a million. */
export const attack: Attack<Prepared> = {
  name: `${CHALLENGES} challenges by a password that leaked, and ${GUESSES} wrong codes, each from another address, while somebody signs in`,
  settings: { TRUST_PROXY_HOPS: "1" },
  prepare: async ({ url }) => {
    const [victim, neighbour] = await Promise.all([anAccount(url), anAccount(url)]);
    await withSecondFactor(victim);
    return { victim, neighbour, neighbourSecret: (await withSecondFactor(neighbour)).secret };
  },
  run: async ({ url }, { victim, neighbour, neighbourSecret }) => {
    const anonymous = callerOf(url, "nobody");
    const challengeOf = async ({ email, password }: Account, n: number): Promise<string> => {
      const { body } = await anonymous.send("POST", "/api/auth/login", { email, password }, forwardedFor(n));
      return String(body.params["challenge"]);
    };
    const sendCode = (challenge: string, code: string, n: number) =>
      anonymous.send("POST", "/api/auth/login/second-factor", { challenge, code }, forwardedFor(n));
    const challenges = await mapConcurrently(CHALLENGES, 4, (n) => challengeOf(victim, n));
    const guesses = mapConcurrently(GUESSES, AT_A_TIME, async (n) => {
      const guess = String((n * 2_477) % 1_000_000).padStart(6, "0");
      return (await sendCode(challenges[n % CHALLENGES] ?? "", guess, n)).status;
    });
    const { status } = await sendCode(await challengeOf(neighbour, 900), codeOf(neighbourSecret), 900);
    expectThat(status === 200, `another user with a valid code got ${status}`);
    const statuses = await guesses;
    expectThat(!statuses.includes(200), "a guess was right");
    const judged = statuses.filter((one) => one === 401).length;
    expectThat(judged <= MAX_CHECKED, `${judged} codes were judged`);
    return tally(statuses);
  },
};
