/** Every failure reported to callers. Messages are public. @see docs/errors.md */
export const ERRORS = {
  validation_failed: "The request does not match the schema.",
  malformed_json: "The request body is not valid JSON.",
  malformed_request: "The request is not valid HTTP.",
  invalid_reference: "The request refers to something that does not exist.",
  cursor_invalid: "The cursor does not belong to this list.",
  network_mismatch: "The network does not match the network of the resource.",
  binding_cross_host: "A binding refers to a port or interface of another host.",
  ip_outside_subnet: "The address lies outside the subnet.",
  not_authenticated: "Authentication is required.",
  invalid_credentials: "The email address or the password is wrong.",
  second_factor_required: "A second factor is required.",
  second_factor_invalid: "The code is wrong or has already been used.",
  challenge_expired: "The sign-in attempt has expired; sign in again.",
  api_key_invalid: "The API key is not valid.",
  api_key_expired: "The API key has expired.",
  api_key_disabled: "The API key is disabled.",
  session_expired: "The session has ended.",
  share_ended: "The share has ended.",
  enrolment_token_invalid: "The token is not valid for enrolling a collector.",
  link_expired: "The link has expired or has already been used; request a new one.",
  authorization_pending: "Nobody has confirmed the sign-in yet.",
  slow_down: "The program asks too often.",
  expired_token: "The codes of the sign-in have expired or were used; start again.",
  access_denied: "The sign-in was refused.",
  sign_in_expired: "The sign-in has expired, or was started in another browser; start again.",
  permission_denied: "The caller's permission level does not allow this.",
  session_required: "This operation requires a session; API keys are not accepted.",
  confirmation_required: "This requires a second-factor code entered within the last ten minutes.",
  address_not_allowed: "The API key may not be used from this address.",
  api_access_disabled: "API access is turned off for the organization.",
  reauthentication_required: "The session is not recent enough; this requires the password.",
  password_login_disabled: "Password sign-in is turned off for the organization.",
  provider_required: "This requires a session that was started with a provider.",
  provider_bound: "The provider of this session is configured for one organization only.",
  provider_denied: "The provider denied the sign-in, or the account is not allowed in.",
  account_unknown: "No user is linked to this account at the provider.",
  address_unverified: "The provider has not verified the email address.",
  account_disabled: "This account was disabled by an operator.",
  email_unverified: "The caller's email address is not verified.",
  link_required:
    "An account with this email address exists already; sign in to it and link the provider there. If you cannot sign in, reset its password by mail first.",
  csrf_rejected: "The request's origin is not allowed.",
  registration_closed: "Registration is by invitation only.",
  owner_unverified:
    "The organization has reached the small maximum that applies until an Owner verifies the email address.",
  quota_exceeded: "The organization has reached its maximum for this resource.",
  not_found: "Resource not found.",
  changes_gone: "The changes after this cursor are no longer retained.",
  method_not_allowed: "The method is not allowed on this path.",
  payload_too_large: "The request body is too large.",
  unsupported_media_type: "The content type of the request body is not supported.",
  binding_conflict: "An interface binding and a port binding claim the same interface.",
  mac_address_immutable: "A MAC address cannot be changed once it is set.",
  already_exists: "A resource with this value already exists.",
  subnet_full: "The subnet has no free address.",
  in_use: "The resource is still in use.",
  revert_conflict: "The request cannot be reverted because of later changes.",
  last_owner: "An organization must keep at least one owner.",
  last_sign_in: "This is the only way to sign in.",
  other_owners: "The organization has other Owners.",
  collector_not_ready: "The collector cannot look around now.",
  collector_busy: "The collector has enough jobs waiting.",
  collector_job_ended: "The job of the collector has ended, or is not wanted any more.",
  write_conflict: "The write conflicted with concurrent writes; try again.",
  idempotency_in_progress: "A request with this idempotency key is still in progress.",
  secret_shown_once: "The first response contained a secret, which is not stored.",
  precondition_failed: "The resource has changed since the given revision.",
  idempotency_mismatch: "The idempotency key was used for another request.",
  too_many_changes: "The request involves too many changes; split it or narrow it down.",
  too_many_subnets: "Too many new subnets; create larger ones or use subnet_hint.",
  logout_token_invalid: "The logout token is not valid.",
  archive_invalid: "The archive cannot be imported; nothing was written.",
  import_too_expensive: "The import exceeds its limit of time or memory; split it.",
  rate_limited: "Too many requests.",
  too_many_in_flight: "Too many concurrent requests; wait for some of them to complete.",
  too_many_streams: "Too many streams are open; close some of them.",
  registration_throttled: "Too many accounts were created from this network today.",
  mail_throttled: "Too many emails were requested; wait before requesting another one.",
  login_throttled: "Too many failed login attempts; wait before trying again.",
  internal_error: "An internal error occurred.",
  upstream_failed: "A dependency returned an unusable response.",
  provider_failed: "The provider returned an unusable response.",
  provider_unavailable: "The provider is not responding; try again shortly.",
  storage_overloaded: "The database is overloaded; try again later.",
  unavailable: "A dependency is temporarily unavailable; try again shortly.",
  mail_not_configured: "Email is not configured on this server.",
  second_factor_not_configured: "Second factors are not configured on this server.",
  upstream_timeout: "A dependency did not respond in time.",
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Details of a failure by name, visible to the caller. */
export type ErrorParams = Readonly<Record<string, unknown>>;

/** The only error thrown on purpose. `params` are visible to the caller; `cause` is only logged. */
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

/** An invalid place in the request: a dotted path from the root of the body, or a parameter name. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  /** The kind of error, where programs distinguish them. */
  readonly code?: string;
  /** The headings of a table that lacks one. */
  readonly headings?: readonly string[];
}

/** Creates `validation_failed` for the given places. @see docs/errors.md */
export function validationFailed(...errors: Fault[]): AppError {
  return new AppError("validation_failed", { errors });
}
