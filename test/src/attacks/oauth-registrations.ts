import type { Attack } from "../support/attacks/attack.js";
import { type Account, anAccount, callerOf } from "../support/api.js";
import { expectThat, tally } from "../support/attacks/parts.js";
import { mapConcurrently } from "../support/map-concurrently.js";
import { aPkce, codeFrom, exchange, REDIRECT, register, requestOf, sendForm } from "../support/oauth.js";

const REGISTERED = 1_000;
const GUESSES = 600;
const AT_A_TIME = 20;
/** That an address may have. */
const MOST_OF_ADDRESS = 50;

const forwardedFor = (n: number) => ({ "x-forwarded-for": `198.51.${100 + Math.floor(n / 250)}.${(n % 250) + 1}` });

interface Prepared {
  readonly person: Account;
}

/** Anybody can register assistants, and guess codes and tokens. */
export const attack: Attack<Prepared> = {
  name: `${REGISTERED} registrations of assistants and ${GUESSES} guessed codes and tokens, from many addresses, while somebody lets one in`,
  settings: { TRUST_PROXY_HOPS: "1", ANONYMOUS_RATE_LIMIT_BURST: "200" },
  prepare: async ({ url }) => ({ person: await anAccount(url) }),
  run: async ({ url }, { person }) => {
    const metadata = { client_name: "x".repeat(500), redirect_uris: [REDIRECT] };
    const idOf = async (n: number) => String((await register(url, metadata, forwardedFor(n))).body["client_id"]);
    const first = await idOf(900);
    for (let n = 0; n < MOST_OF_ADDRESS; n++) await idOf(900);
    const clientId = await idOf(901);
    const registered = mapConcurrently(REGISTERED, AT_A_TIME, async (n) => {
      return (await register(url, metadata, forwardedFor(n % 800))).status;
    });
    const guesses = mapConcurrently(GUESSES, AT_A_TIME, async (n) => {
      const guess = "x".repeat(43);
      const form: Record<string, string> =
        n % 2 === 0
          ? { grant_type: "authorization_code", client_id: clientId, code: guess, code_verifier: guess }
          : { grant_type: "refresh_token", client_id: clientId, refresh_token: `nts_r_${"x".repeat(32)}.${guess}` };
      return (await sendForm(url, "/oauth/token", form, forwardedFor(n % 800))).status;
    });
    const pkce = aPkce();
    const code = await codeFrom(person.session, requestOf(clientId, pkce));
    const { status } = await exchange(url, { clientId, code, verifier: pkce.verifier });
    expectThat(status === 200, `an assistant that was let in got ${status}`);
    const replaced = await person.session.send("POST", "/api/auth/oauth/show", requestOf(first, pkce));
    expectThat(
      replaced.status === 404,
      `one of ${MOST_OF_ADDRESS + 1} registrations of an address answered ${replaced.status}`,
    );
    const statuses = await guesses;
    expectThat(!statuses.includes(200), "a guess was right");
    const keys = await callerOf(url, "person", { cookie: person.cookie }).data<object[]>("get", "/api/v1/auth/keys");
    expectThat(keys.length === 1, `${keys.length} keys`);
    return `${tally(await registered)}; ${tally(statuses)}`;
  },
};
