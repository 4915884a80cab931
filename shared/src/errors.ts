/** Every failure a caller can be told about. The sentence is public; nothing private may enter it. @see README "Errors" */
export const ERRORS = {
  validation_failed: "The request does not match the schema.",
  malformed_json: "The request body is not valid JSON.",
  malformed_request: "The request is not valid HTTP.",
  invalid_reference: "The request refers to something that does not exist.",
  network_mismatch: "The network does not match the one that the entity belongs to.",
  binding_cross_host: "A binding refers to a port or interface of another host.",
  ip_outside_subnet: "The address lies outside the subnet.",
  not_authenticated: "Authentication is required.",
  invalid_credentials: "The email address or the password is wrong.",
  api_key_invalid: "The API key is not valid.",
  api_key_expired: "The API key has expired.",
  api_key_disabled: "The API key is disabled.",
  session_expired: "The session has ended.",
  permission_denied: "The caller's permission level does not allow this.",
  session_required: "This operation needs a session; an API key cannot be used.",
  api_access_disabled: "API access is turned off for the organization.",
  csrf_rejected: "The request did not come from an allowed origin.",
  registration_closed: "Registration is by invitation only.",
  not_found: "There is no such entity.",
  method_not_allowed: "The method is not allowed on this path.",
  payload_too_large: "The request body is too large.",
  unsupported_media_type: "The request body must be of a type that the operation takes.",
  binding_conflict: "An interface binding and a port binding claim the same interface.",
  mac_address_immutable: "A MAC address cannot be changed once it is set.",
  already_exists: "An entity with this value exists already.",
  in_use: "The entity is still in use.",
  last_owner: "An organization keeps at least one owner.",
  write_conflict: "Too many writers changed the same data; try again.",
  precondition_failed: "The entity has changed since the revision that was named.",
  rate_limited: "Too many requests.",
  login_throttled: "Too many failed logins; wait before the next try.",
  internal_error: "Something went wrong on our side.",
  upstream_failed: "A part of the system gave no usable answer.",
  unavailable: "A part of the system is not available; try again soon.",
  upstream_timeout: "A part of the system did not answer in time.",
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Details of a failure, by name; everything in it may be seen by the caller. */
export type ErrorParams = Readonly<Record<string, unknown>>;

/** The one error the system throws on purpose. `params` may be seen by the caller; `cause` is for the log and never leaves the process. */
export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: ErrorCode,
    readonly params: ErrorParams = {},
    cause?: unknown,
  ) {
    super(ERRORS[code], { cause });
  }
}

/** A fault of the request at one place: `path` is dotted from the root of the body, or the name of the parameter. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** `validation_failed` at the given places. @see spec § 7 */
export function validationFailed(...errors: Fault[]): AppError {
  return new AppError("validation_failed", { errors });
}
