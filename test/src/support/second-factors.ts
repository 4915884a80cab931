/** Codes of second factors, as from an authenticator app. */
import type { SecondFactorOffer } from "@nts/shared/contract";
import { enableSecondFactor, offerSecondFactor } from "@nts/shared/contract/second-factor";
import { setTimeout as sleep } from "node:timers/promises";
import { generateSync } from "otplib";
import type { Account } from "./api.js";
import type { Direct, Person } from "./direct.js";

const STEP_SECONDS = 30;
const MIN_VALID_MS = 3_000;
/** A timer may fire a moment before the clock says so. */
const SURELY_NEXT_MS = 100;

/** @param steps later than now; the previous and the next one are accepted, too */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_SECONDS });
}

/** The code of the previous step, which leaves the present one unused; valid for at least three seconds. */
export async function earlierCodeOf(secret: string): Promise<string> {
  const leftMs = STEP_SECONDS * 1_000 - (Date.now() % (STEP_SECONDS * 1_000));
  if (leftMs < MIN_VALID_MS) await sleep(leftMs + SURELY_NEXT_MS); // in the next step it is rejected
  return codeOf(secret, -1);
}

/** A code that is not accepted. */
export function wrongCode(secret: string): string {
  const good = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, steps));
  return ["000000", "111111", "222222", "333333", "444444", "555555"].find((code) => !good.includes(code)) ?? "";
}

/** Sets up a second factor through a gateway, with the code of the previous step. */
export async function withSecondFactor({
  session,
  password,
}: Account): Promise<{ readonly secret: string; readonly recovery: readonly string[] }> {
  const { secret } = await session.data<SecondFactorOffer>("post", "/api/auth/second-factor", { password });
  const body = { code: await earlierCodeOf(secret) };
  const enabled = await session.data<{ recovery_codes: string[] }>("post", "/api/auth/second-factor/enable", body);
  return { secret, recovery: enabled.recovery_codes };
}

/**
 * The same at identity itself, with the present code: the next one is valid, however slow the machine is. @returns the
 * secret
 */
export async function setUpSecondFactor(
  identity: Pick<Direct, "data">,
  { principal: as, password }: Person,
): Promise<string> {
  const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
  await identity.data(enableSecondFactor, { as, body: { code: codeOf(secret) } });
  return secret;
}

/** The same with the code of the previous step, which leaves the present one unused. */
export async function setUpSecondFactorEarlier(
  identity: Pick<Direct, "data">,
  { principal: as, password }: Person,
): Promise<{ readonly secret: string; readonly recovery: readonly string[] }> {
  const { secret } = await identity.data(offerSecondFactor, { as, body: { password } });
  const body = { code: await earlierCodeOf(secret) };
  return { secret, recovery: (await identity.data(enableSecondFactor, { as, body })).recovery_codes };
}
