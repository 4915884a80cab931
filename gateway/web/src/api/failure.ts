import { ApiError, type FailureCode } from "@nts/shared/client";
import { REVERT_CONFLICTS, type RevertConflict } from "@nts/shared/contract";
import type { Fault } from "@nts/shared/errors";
import { faultLine, faultSentence } from "./field-texts.js";

// A failure as shown to the user.

export interface Failure {
  readonly kind: "unreachable" | "limited" | "forbidden" | "missing" | "changed" | "signed-out" | "refused" | "fault";
  readonly title: string;
  readonly text: string;
  /** Seconds until a retry makes sense; null if it can be retried at once. */
  readonly waitSeconds: number | null;
  /** The request id, for support. */
  readonly requestId: string | null;
}

const SIGNED_OUT: readonly FailureCode[] = ["not_authenticated", "session_expired", "second_factor_required"];

/** True if the session has ended. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && SIGNED_OUT.includes(error.code);
}

/** True if somebody else has changed the entity since it was read. */
export function isChanged(error: unknown): boolean {
  return error instanceof ApiError && error.code === "precondition_failed";
}

/** The server lacks a setting, until its operator adds it. */
const NOT_CONFIGURED = 501;

/** True if a retry may help, because nothing was rejected. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status === 0) return true;
  return error.status >= 500 && error.status !== NOT_CONFIGURED;
}

export function describeFailure(error: unknown): Failure {
  if (!(error instanceof ApiError) || error.code === "unreachable") {
    return failure("unreachable", "Server unreachable", "Check your connection and try again.");
  }
  const { requestId, retryAfterSeconds: waitSeconds } = error;
  const failureOf = (kind: Failure["kind"], title: string, text: string): Failure => ({
    ...failure(kind, title, text),
    requestId,
    waitSeconds,
  });
  if (isSignedOut(error)) return failureOf("signed-out", "Your session has ended", "Sign in again to continue.");
  if (error.code === "precondition_failed")
    return failureOf(
      "changed",
      "Edit conflict",
      "Someone else changed this in the meantime. Reload to see the current version; your input is kept until then.",
    );
  if (error.status === 429) return failureOf("limited", "Too many requests", waitText(waitSeconds));
  if (error.code === "confirmation_required") return failureOf("refused", "Not confirmed", error.message);
  if (error.status === 403) return failureOf("forbidden", "Permission denied", forbiddenText(error));
  if (error.status === 410)
    return failureOf(
      "refused",
      "No longer available",
      "Older changes have expired. Try again to see the retained ones.",
    );
  if (error.status === 404)
    return failureOf("missing", "Not found", "It was deleted, or it is in a network you do not have access to.");
  if (error.status === NOT_CONFIGURED) return failureOf("refused", "Not available", error.message);
  if (error.status >= 500)
    return failureOf("fault", error.status === 500 ? "Internal error" : "Temporarily unavailable", error.message);
  return failureOf("refused", error.message, detailText(error));
}

/** Error messages by field path, as sentences; `""` for those without a field. */
export function faultsByPath(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const { code, params, message } = error;
  if (code === "validation_failed") {
    const faults = (params["errors"] ?? []) as readonly Fault[];
    return Object.fromEntries(faults.map(({ path, message: text }) => [path, faultSentence(path, text)]));
  }
  if (code === "invalid_credentials") return { password: "Incorrect password." };
  if (code === "second_factor_invalid") return { code: message };
  if (code === "already_exists" && typeof params["field"] === "string") return { [params["field"]]: message };
  if (typeof params["path"] === "string") return { [params["path"]]: message };
  if (code === "ip_outside_subnet") return { ip_address: detailText(error), cidr: detailText(error) };
  if (code === "subnet_full") return { subnet_id: message };
  if (code === "mac_address_immutable") return { mac_address: message };
  return {};
}

function failure(kind: Failure["kind"], title: string, text: string): Failure {
  return { kind, title, text, waitSeconds: null, requestId: null };
}

function waitText(seconds: number | null): string {
  return seconds === null ? "Wait a moment." : `Wait ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
}

function forbiddenText({ params, code, message }: ApiError): string {
  if (code === "permission_denied" && params["required"] === "operator") return "Only an operator can do this.";
  if (code === "permission_denied" && typeof params["required"] === "string")
    return `Requires the ${params["required"]} role. Ask ${grantersOf(params["required"])} of your organization to change yours.`;
  return message;
}

/** Only Owners can make someone an Admin or Owner. */
function grantersOf(level: string): string {
  return level === "Owner" || level === "Admin" ? "an Owner" : "an Owner or Admin";
}

/** A place in a file, such as `line 3`, is no member of a body. */
function lineOf(path: string, fault: string): string {
  const sentence = faultSentence(path, fault);
  return / |\$/.test(path) ? `${path.charAt(0).toUpperCase()}${path.slice(1)}: ${sentence}` : faultLine(path, sentence);
}

function detailText({ code, params, message }: ApiError): string {
  if (code === "ip_outside_subnet")
    return `${String(params["ip_address"])} lies outside the subnet ${String(params["cidr"])}.`;
  if (code === "validation_failed") {
    const faults = (params["errors"] ?? []) as readonly Fault[];
    return faults.map(({ path, message: text }) => lineOf(path, text)).join(" ");
  }
  if (code === "revert_conflict") {
    const conflicts = (params["conflicts"] ?? []) as readonly RevertConflict[];
    const texts = conflicts.map(({ entity, reason }) => `${entity}: ${REVERT_CONFLICTS[reason]}`);
    return `${[...new Set(texts)].join("; ")}.`;
  }
  if (code === "payload_too_large" && typeof params["limit_bytes"] === "number")
    return `At most ${Math.floor(params["limit_bytes"] / 1_048_576)} MiB. Compress the file with gzip, or import it in parts, such as a scan for each subnet.`;
  if (code === "other_owners") return "Change their role or remove them first, or leave.";
  if (code === "last_owner") return "Make somebody else an Owner first, or delete the organization.";
  return message;
}
