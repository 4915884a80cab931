"""Which failed requests are repeated, and when."""

from __future__ import annotations

from .errors import ApiError

FIRST_SECONDS = 0.25
LONGEST_SECONDS = 8.0

# Refused before any effect, or while the first request with the key is still in progress.
WITHOUT_EFFECT = {"idempotency_in_progress", "write_conflict"}

# Whether the request had an effect is unknown.
UNKNOWN_OUTCOME = {0, 502, 503, 504}


def retry_delay(
    error: ApiError, *, is_safe: bool, attempt: int, retries: int, longest_wait: float, chance: float
) -> float | None:
    """Seconds to wait before a retry; None for no retry.

    `is_safe`: a second request has no second effect, because it is a read or has an idempotency key.
    `chance`: from 0 to 1, so that callers that failed together do not return together.
    """
    is_retryable = error.status == 429 or error.code in WITHOUT_EFFECT or (is_safe and error.status in UNKNOWN_OUTCOME)
    asked = error.retry_after or 0
    if not is_retryable or attempt >= retries or asked > longest_wait:
        return None
    return asked + chance * min(LONGEST_SECONDS, FIRST_SECONDS * 2.0**attempt)
