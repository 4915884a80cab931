import { ApiError } from "@nts/shared/client";
import { REVERT_CONFLICTS, type RevertConflict } from "@nts/shared/contract";
import { EXIT, Problem } from "./terminal.js";

interface Fault {
  readonly path: string;
  readonly message: string;
  readonly headings?: readonly string[];
}

/** The message and exit code for an error. Unexpected errors are rethrown. */
export function describeFailure(error: unknown): { readonly text: string; readonly exitCode: number } | null {
  if (error instanceof Problem) return { text: error.message, exitCode: error.exitCode };
  if (!(error instanceof ApiError)) return null;
  return { text: textOf(error), exitCode: exitCodeOf(error.status) };
}

function textOf({ message, code, status, requestId, params }: ApiError): string {
  const facts = [
    code,
    ...(status === 0 ? [] : [`HTTP ${status}`]),
    ...(requestId === "" ? [] : [`request ${requestId}`]),
  ];
  const faults = (params["errors"] ?? []) as readonly Fault[];
  const conflicts = (code === "revert_conflict" ? (params["conflicts"] ?? []) : []) as readonly RevertConflict[];
  const others = Object.entries(params).filter(
    ([name]) => name !== "errors" && !(name === "conflicts" && conflicts.length > 0),
  );
  return [
    `${message} (${facts.join(", ")})`,
    ...faults.map(({ path, message: text }) => `  ${path === "" ? "body" : path}: ${text}`),
    ...faults.flatMap(({ headings }) =>
      headings === undefined ? [] : [`  its columns are ${headings.join(", ")}; say what one means with --column`],
    ),
    ...conflicts.map(({ entity, entity_id, reason }) => `  ${entity} ${entity_id}: ${REVERT_CONFLICTS[reason]}`),
    ...others.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
    ...(HINTS[code] === undefined ? [] : [`  ${HINTS[code]}`]),
  ].join("\n");
}

/** A hint on what to do next, if the message alone has none. */
const HINTS: Partial<Record<ApiError["code"], string>> = {
  not_authenticated: "Sign in with `nts login`, or set NTS_API_KEY.",
  api_key_invalid: "Sign in with `nts login`, or set NTS_API_KEY.",
  api_key_expired: "Sign in again with `nts login`, which makes a new key, or set NTS_API_KEY.",
  session_expired: "Sign in again with `nts login`.",
  session_required: "API keys cannot call this operation: add --session.",
  payload_too_large: "Compress the file with gzip, or import it in parts, such as a scan for each subnet.",
  precondition_failed: "It has changed since it was read; read it again.",
  unreachable: "Check NTS_URL, and that the server is running.",
};

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.forbidden;
  if (status === 404 || status === 410) return EXIT.missing;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 429) return EXIT.limited;
  return status === 0 || status >= 500 ? EXIT.failed : EXIT.refused;
}
