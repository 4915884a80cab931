import type { ApiError } from "@nts/shared/client";

/** The text of a failed tool call: what was wrong, and what to do next. */
export function failureText(error: ApiError): string {
  const { code, message, requestId, params } = error;
  const faults = ((params["errors"] ?? []) as readonly { path: string; message: string }[]).slice(0, 20);
  const details = faults.map(({ path, message: text }) => `${path}: ${text}`.slice(0, 200));
  const next = NEXT[code] ?? (isPassing(error) ? "Wait some seconds, then call it again." : "Change the arguments.");
  const wait = error.retryAfterSeconds === null ? "" : ` Wait ${error.retryAfterSeconds} seconds.`;
  return [`${code}: ${message}`, ...details, `Next: ${next}${wait}`, `Request: ${requestId}`].join("\n");
}

/** 501 lasts until the operator changes a setting. */
function isPassing({ status }: ApiError): boolean {
  return status >= 500 && status !== 501;
}

const NEXT: Partial<Record<ApiError["code"], string>> = {
  not_found: "Call `find`: it returns ids; entities in other networks are not visible.",
  permission_denied: "Tell the person that their API key may not do this; do not try it again.",
  precondition_failed: "It has changed since the plan: call `plan_change` again, show the new plan, and apply that.",
  payload_too_large: "Request less: specify a network, or the host itself.",
  rate_limited: "Call fewer tools.",
  changes_gone: "Changes that old are no longer retained: use a later `since`.",
  binding_conflict: "Change the bindings as the params say, and call `plan_change` again.",
  already_exists: "It already exists: call `find`.",
  owner_unverified: "Tell the person that an Owner has to verify the email address first.",
  quota_exceeded: "Tell the person that the organization has reached its quota.",
};
