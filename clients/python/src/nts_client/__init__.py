"""Typed client of the network topology service."""

from . import types
from .client import Client
from .errors import ApiError, NotModified
from .transport import Response
from .watch import Bookmark, Changed, Event, Reset, State

__all__ = [
    "ApiError",
    "Bookmark",
    "Changed",
    "Client",
    "Event",
    "NotModified",
    "Reset",
    "Response",
    "State",
    "types",
]
