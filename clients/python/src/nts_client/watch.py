"""Follows changes. A broken connection resumes where it stopped, so that no change is skipped or repeated."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import httpx

from .errors import ApiError
from .types import BOOKMARK_SECONDS, Change, EntityState

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0

# Without even a bookmark for this long, the connection is considered dead.
SILENCE_SECONDS = 3.0 * BOOKMARK_SECONDS


@dataclass(frozen=True, slots=True)
class State:
    """The current state of an entity: only with `initial`, before the first bookmark."""

    state: EntityState


@dataclass(frozen=True, slots=True)
class Changed:
    """An entry of the change journal."""

    cursor: str
    change: Change


@dataclass(frozen=True, slots=True)
class Bookmark:
    """Everything up to this cursor has come: the one to keep, for `watch(after=…)`."""

    cursor: str


@dataclass(frozen=True, slots=True)
class Reset:
    """What is held may be more or less than what may be seen: with `initial` all of it comes again, else read it anew."""

    reason: Literal["rights_changed", "changes_gone", "interrupted"]


Event: TypeAlias = State | Changed | Bookmark | Reset

#: Opens a connection that begins behind a cursor.
Open: TypeAlias = Callable[[str | None], httpx.Response]


def follow(open_at: Open, *, after: str | None, initial: bool) -> Iterator[Event]:
    cursor = after
    failures = 0
    is_beginning = False
    while True:
        try:
            response = open_at(cursor)
            try:
                for event in events_in(response):
                    failures = 0
                    is_beginning = isinstance(event, State)
                    if isinstance(event, (Changed, Bookmark)):
                        cursor = event.cursor
                    if isinstance(event, Reset) and initial:
                        cursor = None
                    yield event
            finally:
                response.close()
        except httpx.TransportError:
            pass  # Broken or silent for too long: the next connection resumes here.
        except ApiError as error:
            is_gone = error.code in ("changes_gone", "cursor_invalid")
            if is_gone and initial and cursor is not None:
                cursor = None
                yield Reset("changes_gone")
            elif not is_passing(error):
                raise
        if is_beginning:
            is_beginning = False
            yield Reset("interrupted")
        # By half at random, so that those who were disconnected together do not return together.
        delay = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(failures, 10))
        time.sleep(delay / 2 + random.random() * delay / 2)
        failures += 1


def events_in(response: httpx.Response) -> Iterator[Event]:
    for message in messages_in(response.iter_bytes()):
        data: Any = json.loads(message["data"])
        match message["event"]:
            case "state":
                yield State(data)
            case "change":
                yield Changed(message["id"], data)
            case "bookmark":
                yield Bookmark(message["id"])
            case "end" if data["code"] == "rights_changed":
                yield Reset("rights_changed")


def messages_in(chunks: Iterator[bytes]) -> Iterator[dict[str, str]]:
    """The messages of a stream of Server-Sent Events. A message ends with an empty line."""
    message = {"event": "message", "id": "", "data": ""}
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            name, _, value = line.removesuffix(b"\r").decode().partition(":")
            if name in message:
                value = value.removeprefix(" ")
                message[name] = f"{message['data']}\n{value}" if name == "data" and message["data"] else value
            elif name == "" and value == "":
                if message["data"]:
                    yield message
                message = {"event": "message", "id": "", "data": ""}


def is_passing(error: ApiError) -> bool:
    """501 lasts until the operator changes a setting."""
    return error.status in (0, 429) or (error.status >= 500 and error.status != 501)
