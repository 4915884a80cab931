import type { SecondFactorOffer } from "@nts/shared/contract/second-factor";
import { AppError } from "@nts/shared/errors";
import type { UserDocument } from "../../model/user.js";
import type { CheckCode } from "./check-code.js";
import { newAppSecret } from "../../secrets/second-factor-codes.js";
import type { OfferedFactor } from "../../model/second-factor.js";
import type { SecretCipher } from "../../secrets/secret-cipher.js";

/** Milliseconds to set up an app. */
const OFFERED_MS = 900_000;

/** A new secret, as returned and as stored. */
export function offered(
  { _id, email }: UserDocument,
  cipher: SecretCipher,
  now: Date,
): { readonly data: SecondFactorOffer; readonly offer: OfferedFactor } {
  const { secret, otpauth_url } = newAppSecret(email);
  const expires_at = new Date(now.getTime() + OFFERED_MS);
  const offer = { secret: cipher.seal(secret, _id), expires_at };
  return { data: { secret, otpauth_url, expires_at: expires_at.toISOString() }, offer };
}

/**
 * Checks the first code of the app being set up.
 *
 * @throws AppError `not_found` if there is none · as {@link CheckCode}
 */
export async function requireOffer(
  user: UserDocument,
  code: string,
  {
    now,
    checkCode,
    request,
  }: { readonly now: Date; readonly checkCode: CheckCode; readonly request: Parameters<CheckCode>[2] },
): Promise<{ readonly step: number }> {
  const offer = user.second_factor_offer;
  if (offer === undefined || offer.expires_at <= now) throw new AppError("not_found", { entity: "SecondFactor" });
  const candidate = { ...user, second_factor: { secret: offer.secret, since: now, last_step: 0, recovery: [] } };
  const use = await checkCode(candidate, code, request);
  if (use.kind !== "digits") throw new AppError("second_factor_invalid");
  return use;
}
