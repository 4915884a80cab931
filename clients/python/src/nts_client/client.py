from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import httpx

from .errors import ApiError
from .operations import Operations
from .transport import Body, Response, target_query
from .types import ImportFormat, ImportJob, ImportJobWithPlan, ImportPlan, Reverted, RevertJob
from .watch import SILENCE_SECONDS, Event, follow

Row = TypeVar("Row")
Data = TypeVar("Data")
Written = TypeVar("Written")
Query = ParamSpec("Query")

MOST_EDITS = 5
# Seconds between two reports of progress.
WAIT_SECONDS = 1


class Client(Operations):
    """The API for one API key: every operation under its `operationId`, and what takes several requests."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pages(
        self, operation: Callable[Query, Response[list[Row]]], *args: Query.args, **query: Query.kwargs
    ) -> Iterator[list[Row]]:
        """The pages of a list: `client.pages(client.list_hosts, order_by="name")`."""
        place: dict[str, Any] | None = {}
        while place is not None:
            response = operation(*args, **{**query, **place})
            yield response.data
            place = _place_behind(response, place)

    def rows(
        self, operation: Callable[Query, Response[list[Row]]], *args: Query.args, **query: Query.kwargs
    ) -> Iterator[Row]:
        """The rows of a list, reading pages as they are needed: `client.rows(client.list_hosts, q="nas")`."""
        for page in self.pages(operation, *args, **query):
            yield from page

    def edit(
        self,
        read: Callable[Concatenate[str, ...], Response[Data]],
        write: Callable[..., Response[Written]],
        id: str,
        change: Callable[[Data], Any],
        *,
        comment: str | None = None,
    ) -> Written:
        """Reads an entity, computes the body from it, and writes on condition that it is unmodified.

        If somebody else was faster, it starts again, up to five times.
        """
        for attempt in range(1, MOST_EDITS + 1):
            current = read(id)
            more = {} if comment is None else {"comment": comment}
            try:
                return write(id, change(current.data), if_match=current.etag, **more).data
            except ApiError as error:
                if error.status != 412 or attempt == MOST_EDITS:
                    raise
        raise AssertionError("unreachable")

    def watch(
        self,
        *,
        after: str | None = None,
        initial: bool = False,
        **query: Any,
    ) -> Iterator[Event]:
        """Changes as they happen, without end; resumes broken connections.

        `after`: a cursor, such as that of the last event. `initial`: the current states come first.
        Other arguments are those of `stream_changes`, such as `network_id`, `entity` and `action`.
        """

        def open_at(cursor: str | None) -> httpx.Response:
            target = target_query({**query, "initial": initial or None, "after": cursor})
            headers = {"accept": "text/event-stream", **({} if cursor is None else {"last-event-id": cursor})}
            request = {"method": "GET", "target": f"/api/v1/changes/stream{target}", "headers": headers}
            return self._retrying(lambda: self._open(request, silence=SILENCE_SECONDS), is_safe=True)

        return follow(open_at, after=after, initial=initial)

    def import_and_wait(
        self,
        format: ImportFormat,
        body: Body,
        *,
        network_id: str,
        on_progress: Callable[[ImportJobWithPlan], None] = lambda _: None,
        **query: Any,
    ) -> ImportPlan:
        """Imports a file of any size as a job, and waits for its end. Other arguments are those of `import_file`.

        Raises what the job failed with; hosts that were done remain imported.
        """
        started = self.import_file_as_job(format, body, network_id=network_id, **query).data
        if "state" not in started:
            return started
        ended = self.wait_for_import(cast(ImportJob, started)["id"], on_progress=on_progress)
        if ended["plan"] is None:
            raise _ended_early(ended, "/api/v1/imports")
        return ended["plan"]

    def wait_for_import(
        self, id: str, *, on_progress: Callable[[ImportJobWithPlan], None] = lambda _: None
    ) -> ImportJobWithPlan:
        """Waits for the end of an import job. Raises what it failed with."""
        while True:
            job = self.get_import_job(id, wait=WAIT_SECONDS).data
            on_progress(job)
            if job["state"] in ("queued", "running"):
                continue
            if job["error"] is not None:
                raise _ended_early(job, "/api/v1/imports")
            return job

    def revert_and_wait(
        self, request_id: str, *, on_progress: Callable[[RevertJob], None] = lambda _: None
    ) -> Reverted:
        """Reverts the changes of a request, such as an import; a large one as a job. Raises what it failed with."""
        started = self.revert_changes_as_job({"request_id": request_id}).data
        if "state" not in started:
            return started
        while True:
            job = self.get_revert_job(cast(RevertJob, started)["id"], wait=WAIT_SECONDS).data
            on_progress(job)
            if job["state"] in ("queued", "running"):
                continue
            if job["result"] is None:
                raise _ended_early(job, "/api/v1/changes/revert")
            return job["result"]


def _place_behind(response: Response[list[Any]], place: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the next page starts. A page of the journal may be empty although more follow: then the cursor advances."""
    pagination = response.meta.get("pagination")
    if pagination is not None:
        return {"cursor": pagination["next"]} if "next" in pagination else None
    after = response.meta.get("next")
    if after is None or (not response.data and after == place.get("after")):
        return None
    return {"after": after}


def _ended_early(job: Any, path: str) -> ApiError:
    error = job["error"] or {"status": 0, "code": "cancelled", "message": "The job was cancelled.", "params": {}}
    return ApiError(
        error["message"],
        status=error["status"],
        code=error["code"],
        params=error["params"],
        request_id=job["request_id"],
        method="POST",
        path=path,
    )
