import type { Attack } from "../support/attacks/attack.js";
import { type Account, anAccount, callerOf } from "../support/api.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";

const STARTED = 1_000;
const GUESSES = 400;
const AT_A_TIME = 20;
/** The limit per account over all addresses, and the guesses in progress when it is reached. */
const MAX_CHECKED = 20 + AT_A_TIME;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
}

interface Prepared {
  readonly attacker: Account;
  readonly person: Account;
}

/** Anybody can start sign-ins, and any user enter codes of others. */
export const attack: Attack<Prepared> = {
  name: `${STARTED} sign-ins of programs that nobody confirms, and ${GUESSES} guessed codes, each from another address, while somebody signs a program in`,
  settings: { TRUST_PROXY_HOPS: "1" },
  prepare: async ({ url }) => ({ attacker: await anAccount(url), person: await anAccount(url) }),
  run: async ({ url }, { attacker, person }) => {
    const anonymous = callerOf(url, "nobody");
    const codesFor = async (n: number): Promise<Codes> =>
      (await anonymous.send("POST", "/api/auth/device", {}, forwardedFor(n))).body.data;
    const { device_code, user_code } = await codesFor(900);
    const started = mapConcurrently(STARTED, AT_A_TIME, async (n) => {
      const { status } = await anonymous.send("POST", "/api/auth/device", {}, forwardedFor(n % 800));
      return status;
    });
    const guesses = mapConcurrently(GUESSES, AT_A_TIME, async (n) => {
      const guess = String.fromCodePoint(66 + (n % 3)).repeat(8);
      const path = "/api/auth/device/confirm";
      return (await attacker.session.send("POST", path, { user_code: guess }, forwardedFor(n))).status;
    });
    await person.session.data("post", "/api/auth/device/confirm", { user_code });
    const { status } = await anonymous.send("POST", "/api/auth/device/token", { device_code }, forwardedFor(901));
    expectThat(status === 200, `a confirmed program got ${status}`);
    const statuses = await guesses;
    expectThat(!statuses.includes(200), "a guess was right");
    const judged = statuses.filter((one) => one === 404).length;
    expectThat(judged <= MAX_CHECKED, `${judged} codes were judged`);
    return `${tally(await started)}; ${tally(statuses)}`;
  },
};
