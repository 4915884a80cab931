import type { AppError, ErrorCode } from "../errors.js";

/** The HTTP status of every failure. @see docs/errors.md */
export const STATUSES: Readonly<Record<ErrorCode, number>> = {
  validation_failed: 400,
  malformed_json: 400,
  malformed_request: 400,
  invalid_reference: 400,
  cursor_invalid: 400,
  network_mismatch: 400,
  binding_cross_host: 400,
  ip_outside_subnet: 400,
  link_expired: 400,
  not_authenticated: 401,
  invalid_credentials: 401,
  second_factor_required: 401,
  second_factor_invalid: 401,
  challenge_expired: 401,
  api_key_invalid: 401,
  api_key_expired: 401,
  api_key_disabled: 401,
  session_expired: 401,
  share_ended: 401,
  sign_in_expired: 401,
  permission_denied: 403,
  session_required: 403,
  confirmation_required: 403,
  address_not_allowed: 403,
  api_access_disabled: 403,
  reauthentication_required: 403,
  password_login_disabled: 403,
  provider_required: 403,
  provider_bound: 403,
  provider_denied: 403,
  account_unknown: 403,
  address_unverified: 403,
  account_disabled: 403,
  email_unverified: 403,
  link_required: 403,
  csrf_rejected: 403,
  registration_closed: 403,
  owner_unverified: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  changes_gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  binding_conflict: 409,
  mac_address_immutable: 409,
  already_exists: 409,
  subnet_full: 409,
  in_use: 409,
  revert_conflict: 409,
  last_owner: 409,
  last_sign_in: 409,
  other_owners: 409,
  write_conflict: 409,
  idempotency_in_progress: 409,
  secret_shown_once: 409,
  precondition_failed: 412,
  idempotency_mismatch: 422,
  too_many_changes: 422,
  too_many_subnets: 422,
  logout_token_invalid: 400,
  archive_invalid: 400,
  import_too_expensive: 422,
  rate_limited: 429,
  too_many_in_flight: 429,
  too_many_streams: 429,
  registration_throttled: 429,
  mail_throttled: 429,
  login_throttled: 429,
  internal_error: 500,
  mail_not_configured: 501,
  second_factor_not_configured: 501,
  upstream_failed: 502,
  provider_failed: 502,
  provider_unavailable: 503,
  storage_overloaded: 503,
  unavailable: 503,
  upstream_timeout: 504,
};

/** For failures that do not specify how long to wait. */
const RETRY_SECONDS: Partial<Record<ErrorCode, number>> = {
  unavailable: 1,
  idempotency_in_progress: 1,
  storage_overloaded: 5,
  provider_unavailable: 5,
};

/** Seconds for `Retry-After`; null if retrying does not help. */
export function retryAfterSeconds({ code, params }: AppError): number | null {
  const seconds = params["retry_after_seconds"] ?? RETRY_SECONDS[code];
  return typeof seconds === "number" ? seconds : null;
}

/** True if failures with this code have `Retry-After`. */
export function hasRetryAfter(code: ErrorCode): boolean {
  return STATUSES[code] === 429 || code in RETRY_SECONDS;
}
