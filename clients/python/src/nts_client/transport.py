"""Sends requests, repeats them where that is safe, and reads envelopes."""

from __future__ import annotations

import json
import random
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import httpx

from .errors import ApiError, NotModified, seconds_in
from .retries import retry_delay
from .types import Plan

Data = TypeVar("Data")

#: The content of a file.
Body: TypeAlias = bytes | str


@dataclass(frozen=True, slots=True)
class Response(Generic[Data]):
    """A successful response."""

    data: Data
    #: To be sent back as `if_match`; None if there is none.
    etag: str | None
    #: `meta` of the envelope; empty for files.
    meta: Mapping[str, Any] = field(repr=False)
    #: Identifies the request in the logs of the server.
    request_id: str
    #: The response is that of an earlier request with the same idempotency key.
    is_replayed: bool

    @property
    def plan(self) -> Plan:
        """What the write changed or would change: with `dry_run` or `explain`."""
        plan: Plan = self.meta["plan"]
        return plan


class Transport:
    """The connection to one server with one API key. It may be used by several threads."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        retries: int = 4,
        longest_wait: float = 60,
        timeout: float = 60,
        headers: Mapping[str, str] | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        """
        `retries`: how often a request is repeated at most.
        `longest_wait`: seconds; a request that is to wait longer, as by `Retry-After`, fails at once.
        `timeout`: seconds without anything sent or received; a long poll needs more than its `wait`.
        `headers`: sent with every request.
        `http`: for proxies, certificates and the like. It is not closed with this client.
        """
        self._base_url = base_url.rstrip("/")
        self._headers = {"accept": "application/json", **({"authorization": f"Bearer {api_key}"} if api_key else {})}
        self._headers.update(headers or {})
        self._retries = retries
        self._longest_wait = longest_wait
        self._timeout = timeout
        self._owns_http = http is None
        self._http = http or httpx.Client()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    @staticmethod
    def _part(value: str) -> str:
        return quote(value, safe="")

    def _send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        media_type: str = "application/json",
        takes_key: bool = False,
        is_file: bool = False,
        as_job: bool = False,
        if_match: str | None = None,
        if_none_match: str | None = None,
        idempotency_key: str | None = None,
        comment: str | None = None,
    ) -> Response[Any]:
        if takes_key and idempotency_key is None and self._retries > 0:
            idempotency_key = secrets.token_hex(16)
        content = body
        if body is not None and not isinstance(body, (bytes, str)):
            content = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        headers = {
            "content-type": media_type if body is not None else None,
            "accept": "*/*" if is_file else None,
            "if-match": if_match,
            "if-none-match": if_none_match,
            "idempotency-key": idempotency_key,
            "change-comment": comment,
            "prefer": "respond-async" if as_job else None,
        }
        request: dict[str, Any] = {
            "method": method,
            "target": path + target_query(query or {}),
            "content": content.encode() if isinstance(content, str) else content,
            "headers": {name: value for name, value in headers.items() if value is not None},
        }
        is_safe = method == "GET" or (takes_key and idempotency_key is not None)
        return self._retrying(lambda: self._once(request, is_file), is_safe=is_safe)

    def _retrying(self, send: Callable[[], Data], *, is_safe: bool) -> Data:
        attempt = 0
        while True:
            try:
                return send()
            except ApiError as error:
                delay = retry_delay(
                    error,
                    is_safe=is_safe,
                    attempt=attempt,
                    retries=self._retries,
                    longest_wait=self._longest_wait,
                    chance=random.random(),
                )
                if delay is None:
                    raise
            time.sleep(delay)
            attempt += 1

    def _open(self, request: Mapping[str, Any], *, silence: float | None = None) -> httpx.Response:
        """The response with its body unread."""
        method, target = request["method"], request["target"]
        # As bytes, because httpx would refuse what is not ASCII.
        headers = {name.encode(): value.encode() for name, value in {**self._headers, **request["headers"]}.items()}
        timeout = httpx.Timeout(self._timeout, read=silence or self._timeout)
        try:
            built = self._http.build_request(
                method, self._base_url + target, content=request.get("content"), headers=headers, timeout=timeout
            )
            response = self._http.send(built, stream=True)
        except httpx.TransportError as error:
            raise unreachable(method, target, error) from error
        if response.status_code == 304:
            response.close()
            raise NotModified
        if response.is_success:
            return response
        try:
            raise failure_of(response, method, target)
        finally:
            response.close()

    def _once(self, request: Mapping[str, Any], is_file: bool) -> Response[Any]:
        method, target = request["method"], request["target"]
        response = self._open(request)
        try:
            response.read()
        except httpx.TransportError as error:
            raise unreachable(method, target, error) from error
        finally:
            response.close()
        data: Any = response.content
        meta: Mapping[str, Any] = {}
        if not is_file:
            envelope = envelope_in(response.content)
            if envelope is None or not envelope["success"]:
                # A failure may become known after the status was sent.
                raise failure_of(response, method, target)
            data, meta = envelope["data"], envelope["meta"]
        return Response(
            data=data,
            etag=response.headers.get("etag"),
            meta=meta,
            request_id=response.headers.get("x-request-id", ""),
            is_replayed=response.headers.get("idempotency-replayed") == "true",
        )


def target_query(query: Mapping[str, Any]) -> str:
    """The query with its question mark. Each element of a list becomes a parameter; a comma would separate elements."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        elif isinstance(value, (str, int)):
            pairs.append((name, str(value)))
        else:
            pairs.extend((name, str(one).replace(",", "\\,")) for one in value)
    return f"?{urlencode(pairs)}" if pairs else ""


def envelope_in(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "success" in value else None


def unreachable(method: str, path: str, error: Exception) -> ApiError:
    message = f"The server could not be reached: {error or type(error).__name__}."
    return ApiError(message, status=0, code="unreachable", method=method, path=path)


def failure_of(response: httpx.Response, method: str, path: str) -> ApiError:
    try:
        envelope = envelope_in(response.read())
    except httpx.TransportError:
        envelope = None
    if envelope is None or envelope["success"]:
        envelope = {
            "error": f"The response ({response.status_code}) is not from the API.",
            "code": "unreadable_answer",
            "params": {},
            "meta": {"request_id": ""},
        }
    return ApiError(
        envelope["error"],
        status=response.status_code,
        code=envelope["code"],
        method=method,
        path=path,
        params=envelope["params"],
        request_id=envelope["meta"]["request_id"],
        retry_after=seconds_in(response.headers.get("retry-after")),
    )
