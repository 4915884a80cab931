"""Run by `python -m unittest discover tests`; what needs a server is in the README."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

import httpx

from nts_client import ApiError, Client, NotModified
from nts_client.errors import seconds_in
from nts_client.retries import retry_delay
from nts_client.transport import target_query
from nts_client.watch import Bookmark, Changed, Reset, events_in, messages_in

META = {"api_version": 1, "server_version": "0", "request_id": "r"}


def failure(status: int, code: str = "unavailable", retry_after: int | None = None) -> ApiError:
    return ApiError("", status=status, code=code, method="GET", path="/", retry_after=retry_after)


def delay_of(error: ApiError, *, is_safe: bool = True, attempt: int = 0, chance: float = 1) -> float | None:
    return retry_delay(error, is_safe=is_safe, attempt=attempt, retries=4, longest_wait=60, chance=chance)


def client_of(handler: Callable[[httpx.Request], httpx.Response], **options: Any) -> Client:
    return Client("http://nts", "key", http=httpx.Client(transport=httpx.MockTransport(handler)), **options)


class Retrying(unittest.TestCase):
    def test_unknown_outcomes_only_when_it_is_safe(self) -> None:
        for status in (0, 502, 503, 504):
            self.assertEqual(delay_of(failure(status)), 0.25)
            self.assertIsNone(delay_of(failure(status), is_safe=False))

    def test_what_had_no_effect_always(self) -> None:
        self.assertEqual(delay_of(failure(429), is_safe=False), 0.25)
        self.assertEqual(delay_of(failure(409, "write_conflict"), is_safe=False), 0.25)
        for error in (failure(409, "already_exists"), failure(404), failure(500)):
            self.assertIsNone(delay_of(error))

    def test_not_before_retry_after_nor_when_that_is_too_long(self) -> None:
        self.assertEqual(delay_of(failure(429, retry_after=3)), 3.25)
        self.assertEqual(delay_of(failure(429, retry_after=3), chance=0), 3)
        self.assertIsNone(delay_of(failure(429, retry_after=61)))

    def test_longer_each_time_and_four_times_at_most(self) -> None:
        delays = [delay_of(failure(503), attempt=attempt) for attempt in range(5)]
        self.assertEqual(delays, [0.25, 0.5, 1, 2, None])

    def test_a_repeated_write_has_the_same_key(self) -> None:
        keys: list[str] = []

        def handler(request: httpx.Request) -> httpx.Response:
            keys.append(request.headers["idempotency-key"])
            if len(keys) == 1:
                raise httpx.ReadError("lost")
            return httpx.Response(200, json={"success": True, "data": {}, "meta": META})

        client_of(handler).create_tag({"name": "a"})
        self.assertEqual(len(keys), 2)
        self.assertEqual(len(set(keys)), 1)


class Responses(unittest.TestCase):
    def test_of_something_else_are_an_error(self) -> None:
        client = client_of(lambda _: httpx.Response(502, text="<html>"), retries=0)
        with self.assertRaises(ApiError) as caught:
            client.list_hosts()
        self.assertEqual((caught.exception.status, caught.exception.code), (502, "unreadable_answer"))

    def test_may_say_that_nothing_has_changed(self) -> None:
        with self.assertRaises(NotModified):
            client_of(lambda _: httpx.Response(304)).get_host_by_id("1", if_none_match='"a"')

    def test_a_failure_that_became_known_late(self) -> None:
        envelope = {"success": False, "error": "no", "code": "unavailable", "params": {}, "meta": META}
        with self.assertRaises(ApiError) as caught:
            client_of(lambda _: httpx.Response(200, json=envelope)).list_hosts()
        self.assertEqual((caught.exception.code, caught.exception.request_id), ("unavailable", "r"))

    def test_comments_and_ids_may_have_any_character(self) -> None:
        seen: list[httpx.Request] = []

        def handler(request: httpx.Request) -> httpx.Response:
            seen.append(request)
            return httpx.Response(200, json={"success": True, "data": None, "meta": META})

        client_of(handler).delete_tag("a/b", comment="größer")
        self.assertEqual(seen[0].url.raw_path, b"/api/v1/tags/a%2Fb")
        self.assertIn((b"change-comment", "größer".encode()), seen[0].headers.raw)

    def test_retry_after_may_be_a_date(self) -> None:
        self.assertEqual(seconds_in("7"), 7)
        self.assertEqual(seconds_in("Wed, 21 Oct 2015 07:28:00 GMT"), 0)
        self.assertIsNone(seconds_in("soon"))


class Queries(unittest.TestCase):
    def test_escape_commas_of_elements(self) -> None:
        query = {"tag_ids": ["a,b", "c"], "missed": True, "limit": 0, "q": None}
        self.assertEqual(target_query(query), "?tag_ids=a%5C%2Cb&tag_ids=c&missed=true&limit=0")


class Streams(unittest.TestCase):
    def test_are_read_across_chunks(self) -> None:
        text = 'event: change\nid: 1\ndata: {"name":"a\u2028b"}\n\n: silent\n\nevent: bookmark\r\nid: 2\r\ndata: {}\r\n\r\n'
        chunks = [text.encode()[at : at + 3] for at in range(0, len(text.encode()), 3)]
        events = list(events_in(httpx.Response(200, content=iter(chunks))))
        self.assertEqual(events, [Changed("1", {"name": "a\u2028b"}), Bookmark("2")])  # type: ignore[typeddict-item]
        self.assertEqual(len(list(messages_in(iter(chunks)))), 2)

    def test_begin_again_when_changes_are_gone(self) -> None:
        asked: list[str] = []
        gone = {"success": False, "error": "", "code": "changes_gone", "params": {}, "meta": META}

        def handler(request: httpx.Request) -> httpx.Response:
            asked.append(request.url.params.get("after", ""))
            if len(asked) == 1:
                return httpx.Response(410, json=gone)
            return httpx.Response(200, text="event: bookmark\nid: 9\ndata: {}\n\n")

        events = client_of(handler).watch(after="1", initial=True)
        self.assertEqual([next(events), next(events)], [Reset("changes_gone"), Bookmark("9")])
        self.assertEqual(asked, ["1", ""])


if __name__ == "__main__":
    unittest.main()
