import type { ErrorCode } from "./errors.js";

/** What the documentation says about an error besides its message. */
export interface ErrorGuide {
  /** The members of `params`; empty if there are none. */
  readonly params: string;
  /** What the caller can do. */
  readonly remedy: string;
}

const RETRY = "Retry after the seconds in `Retry-After`.";

/** One entry for each code; the table in docs/errors.md is generated from it. */
export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  validation_failed: {
    params: "`errors`: `path` and `message` of every fault",
    remedy: "Correct every listed field or parameter.",
  },
  malformed_json: { params: "", remedy: "Send valid JSON in UTF-8." },
  malformed_request: { params: "", remedy: "Send valid HTTP/1.1, at a reasonable pace." },
  invalid_reference: {
    params: "`path`",
    remedy: "Use the id of an existing resource that the caller has access to.",
  },
  cursor_invalid: {
    params: "",
    remedy: "Send the cursor with the filters and order of the page it came from, or start again without it.",
  },
  network_mismatch: {
    params: "`path`",
    remedy: "Keep `network_id`; it cannot be changed. Only hosts of one network can be merged.",
  },
  binding_cross_host: { params: "`violations`", remedy: "Bind ports and interfaces of the service's own host." },
  ip_outside_subnet: { params: "`ip_address`, `cidr`", remedy: "Choose an address inside the subnet." },
  not_authenticated: { params: "", remedy: "Send an API key, or sign in." },
  invalid_credentials: { params: "", remedy: "Check the email address and the password." },
  second_factor_required: {
    params: "at sign-in `challenge`, `expires_in_seconds`, `set_up`",
    remedy:
      "Sign in, and send the challenge with a code to `POST /api/auth/login/second-factor`. If a second factor has to be set up, keys and sessions work again once it is.",
  },
  second_factor_invalid: {
    params: "",
    remedy: "Wait for the next code; check the clock of the device; or use a recovery code.",
  },
  challenge_expired: { params: "", remedy: "Sign in again." },
  api_key_invalid: { params: "", remedy: "Check the key; it may have been rotated or deleted." },
  api_key_expired: { params: "", remedy: "Extend the key; if its secret is too old for the organization, rotate it." },
  api_key_disabled: { params: "", remedy: "Enable the key." },
  session_expired: { params: "", remedy: "Sign in again." },
  share_ended: { params: "", remedy: "Ask whoever shared the view for another link." },
  enrolment_token_invalid: {
    params: "`reason`: `unknown`, `used` or `expired`",
    remedy:
      "Get a new token on the page Collectors, or with `nts collectors token NAME`. A token is good for one machine: each further one needs a collector of its own.",
  },
  link_expired: { params: "", remedy: "Request another email, and open the link in the newest one." },
  authorization_pending: {
    params: "`interval`",
    remedy: "Ask again after that many seconds, until the person has entered the code in the console.",
  },
  slow_down: { params: "`interval`", remedy: "Wait this many seconds, five more than before, between two requests." },
  expired_token: { params: "", remedy: "Start another sign-in with `POST /api/auth/device`." },
  access_denied: { params: "", remedy: "Start another sign-in, if the person refused it by mistake." },
  sign_in_expired: { params: "", remedy: "Start the provider sign-in again, in this browser." },
  permission_denied: { params: "`required`", remedy: "Use a credential with the required level or scope." },
  session_required: { params: "", remedy: "Sign in, and send the session cookie." },
  confirmation_required: {
    params: "",
    remedy: "Send a code to `POST /api/auth/second-factor/confirm`, and repeat the request.",
  },
  address_not_allowed: {
    params: "",
    remedy: "Use the key from one of its `allowed_ips`, or ask its user to change them.",
  },
  api_access_disabled: { params: "", remedy: "Ask an Owner to allow API keys." },
  reauthentication_required: { params: "", remedy: "Send the `password`, or sign in again." },
  password_login_disabled: { params: "", remedy: "Sign in with the organization's provider." },
  provider_required: {
    params: "",
    remedy: "Sign in with the provider, and repeat the request in that session.",
  },
  provider_bound: {
    params: "",
    remedy: "Sign in with the password, or with a provider that is not configured for a single organization.",
  },
  provider_denied: {
    params: "",
    remedy:
      "Ask the administrator of the provider to add you to an allowed group, or use an address of an allowed domain.",
  },
  account_unknown: {
    params: "",
    remedy: "Ask for an invite, and open it before signing in; or link the provider in your account's settings.",
  },
  address_unverified: {
    params: "",
    remedy: "Have the address verified at the provider, or link it in your account's settings.",
  },
  account_disabled: { params: "", remedy: "Ask the operator of the server." },
  email_unverified: { params: "", remedy: "Open the link in the mail of `POST /api/auth/email/verification`." },
  link_required: {
    params: "",
    remedy:
      "Sign in as before, and link the provider in the settings. If you cannot, reset the password by mail: for an address that was never verified, this also removes a second factor, and the provider can then be linked.",
  },
  csrf_rejected: { params: "", remedy: "Send the request from the service's own origin, or use an API key." },
  registration_closed: { params: "", remedy: "Ask for an invite." },
  owner_unverified: {
    params: "`entity`, `limit`",
    remedy:
      "Verify your address, as an Owner: open the link in the mail of `POST /api/auth/email/verification`. Half a minute later, the usual maximums apply.",
  },
  quota_exceeded: {
    params: "`entity`, `limit`",
    remedy: "Delete some, or ask the operator for a larger quota. Idempotency keys: wait until midnight (UTC).",
  },
  not_found: {
    params: "`entity`",
    remedy: "Check the id. A resource outside the caller's scope returns the same response.",
  },
  changes_gone: {
    params: "`oldest`",
    remedy: "Reload the lists, and follow the changes from the newest cursor before that. `as_of`: use a later time.",
  },
  method_not_allowed: { params: "", remedy: "Use a method from the `Allow` header." },
  payload_too_large: {
    params: "`limit_bytes`",
    remedy:
      "Send less. Import a large file as a job (`Prefer: respond-async`), compress it with gzip, or import it in parts, such as a scan for each subnet.",
  },
  unsupported_media_type: { params: "", remedy: "Send the content type required by the operation." },
  binding_conflict: {
    params: "`violations`",
    remedy:
      "Remove either the interface binding or the port binding of each pair. Of a service, the first 1,000 pairs are listed; others may follow.",
  },
  mac_address_immutable: { params: "", remedy: "Keep the MAC address, or delete and recreate the interface." },
  already_exists: {
    params: "`entity`, `field`, `hint`",
    remedy: "Choose another value, or update the existing resource.",
  },
  subnet_full: {
    params: "`subnet_id`, `cidr`",
    remedy: "Choose another subnet, free an address, or shrink its reserved ranges.",
  },
  in_use: { params: "`entity`", remedy: "Remove all references to the resource." },
  revert_conflict: {
    params: "`conflicts`: up to 100 of `entity`, `entity_id`, `reason`",
    remedy: "Revert the later changes first, or make the change manually; see changes.md for the reasons.",
  },
  last_owner: { params: "", remedy: "Make somebody else an Owner first, or delete the organization." },
  last_sign_in: { params: "", remedy: "Link another provider first, or ask an operator to set a password." },
  other_owners: { params: "`owners`", remedy: "Demote or remove the other Owners first, or leave." },
  collector_not_ready: {
    params: "`reason`: `pending`, `disabled`, `offline` or `window_closed`, then `opens_at`",
    remedy: "Start the collector on its machine, or enable it. Outside its window, wait until it opens, or change it.",
  },
  collector_busy: { params: "`limit`", remedy: "Wait until one of its jobs has been fetched." },
  collector_job_ended: {
    params: "`state`",
    remedy: "Discard the report, and ask for the next job.",
  },
  write_conflict: { params: "", remedy: "Retry." },
  idempotency_in_progress: { params: "", remedy: "Send the same request again after the seconds in `Retry-After`." },
  secret_shown_once: {
    params: "",
    remedy: "The first request took effect. Delete what it created, or rotate the key, and use a new idempotency key.",
  },
  precondition_failed: {
    params: "",
    remedy: "Read the resource again, or create a new plan, and repeat the change.",
  },
  idempotency_mismatch: {
    params: "",
    remedy: "Use a new idempotency key for each request; repeat a request with the same path and body.",
  },
  too_many_changes: {
    params: "`limit`",
    remedy:
      "Split the ids over several requests, or delete the hosts instead; compare a shorter period; use a " +
      "later time, or a single network. Revert a large import as a job (`Prefer: respond-async`). Before two hosts are " +
      "merged, delete what they do not need.",
  },
  too_many_subnets: {
    params: "`planned`, `limit`",
    remedy: "Create larger subnets first, or name them with `subnet_hint`.",
  },
  logout_token_invalid: { params: "", remedy: "Send a logout token from the provider once, within five minutes." },
  archive_invalid: {
    params: "`faults`: the first 100, each `{line, path, code, message}`; `more`",
    remedy: "Send the complete, unmodified file.",
  },
  import_too_expensive: {
    params: "`limit`: `processor_time` or `memory`",
    remedy: "Import the file in parts.",
  },
  rate_limited: { params: "`retry_after_seconds`", remedy: RETRY },
  too_many_in_flight: {
    params: "`of`: `user`, `organization`, `address`, `site` or `collector`; `retry_after_seconds`",
    remedy: "Send fewer requests at the same time.",
  },
  too_many_streams: {
    params: "`of`: `user`, `organization`, `address` or `site`; `retry_after_seconds`",
    remedy: "Close unused streams, or share one.",
  },
  registration_throttled: {
    params: "`retry_after_seconds`",
    remedy: "Ask for an invite, or retry after midnight (UTC). The operator can raise `REGISTRATIONS_PER_SITE`.",
  },
  mail_throttled: {
    params: "`retry_after_seconds`",
    remedy: "Check for emails already sent; otherwise retry after the seconds in `Retry-After`.",
  },
  login_throttled: { params: "`retry_after_seconds`", remedy: RETRY },
  internal_error: { params: "", remedy: "Report the `request_id` to the operator." },
  upstream_failed: {
    params: "",
    remedy: "Check whether the write took effect before repeating it; a read can be retried.",
  },
  provider_failed: {
    params: "",
    remedy: "Try again. If it persists, the operator finds the cause in the log of identity.",
  },
  provider_unavailable: { params: "", remedy: RETRY },
  storage_overloaded: {
    params: "",
    remedy: "Retry after the seconds in `Retry-After`. If it persists, MongoDB needs more disk or cache.",
  },
  unavailable: { params: "", remedy: RETRY },
  mail_not_configured: {
    params: "",
    remedy: "Ask the operator to set `SMTP_URL` and `MAIL_FROM`, or to reset the password with `admin`.",
  },
  second_factor_not_configured: {
    params: "",
    remedy: "Ask the operator to set `SECOND_FACTOR_SECRETS`; recovery codes still work.",
  },
  upstream_timeout: {
    params: "",
    remedy: "Check whether the write took effect before repeating it; a read can be retried.",
  },
};
