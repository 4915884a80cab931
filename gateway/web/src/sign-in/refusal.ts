import { ApiError } from "@nts/shared/client";
import { describeFailure } from "../api/failure.js";

const SAID_AS_IT_IS = ["invalid_credentials", "second_factor_invalid", "challenge_expired"];

/** Why a sign-in was rejected. */
export function refusalOf(error: Error): string {
  if (error instanceof ApiError && SAID_AS_IT_IS.includes(error.code)) return error.message;
  const { title, text } = describeFailure(error);
  return error instanceof ApiError && error.code === "login_throttled"
    ? `${error.message} ${text}`
    : `${title}. ${text}`;
}
