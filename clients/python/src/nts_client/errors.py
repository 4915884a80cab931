from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import ceil
from typing import Any


class ApiError(Exception):
    """A failed request."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        method: str,
        path: str,
        params: Mapping[str, Any] | None = None,
        request_id: str = "",
        retry_after: int | None = None,
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.message = message
        #: HTTP status; 0 if there was no response.
        self.status = status
        #: One of `types.ErrorCode`, `unreachable` without a response, `unreadable_answer` if it is not from the API.
        self.code = code
        self.method = method
        #: Path and query, without origin.
        self.path = path
        #: Details, documented with each code.
        self.params = params or {}
        #: Identifies the request in the logs of the server; empty if there was no response.
        self.request_id = request_id
        #: Seconds to wait, if the response says so.
        self.retry_after = retry_after


class NotModified(Exception):
    """What was read with `if_none_match` still has this ETag."""


def seconds_in(retry_after: str | None) -> int | None:
    """`Retry-After` in seconds; proxies may send a date."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return int(retry_after)
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0, ceil((at - datetime.now(UTC)).total_seconds()))
