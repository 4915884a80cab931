"""Prints the services of an inventory with their addresses, and what has changed since the last run.

Usage: NTS_URL=http://localhost:8080 NTS_API_KEY=nts_u_… python report.py [FILE]

FILE keeps the place in the change journal; `report.cursor` by default.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from nts_client import ApiError, Client, types


def addresses_of(service: types.Service, host: types.Host) -> Iterator[str]:
    """Where a service listens."""
    addresses = {one["id"]: one["ip_address"] for one in host["interfaces"]}
    numbers = {one["id"]: one["number"] for one in host["ports"]}
    for binding in service["bindings"]:
        if binding["type"] == "Interface":
            yield addresses[binding["interface_id"]]
        elif binding["interface_id"] is None:
            yield f"*:{numbers[binding['port_id']]}"
        else:
            yield f"{addresses[binding['interface_id']]}:{numbers[binding['port_id']]}"


def main() -> None:
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "report.cursor")
    with Client(os.environ["NTS_URL"], os.environ["NTS_API_KEY"]) as client:
        for host in client.rows(client.list_hosts, order_by="name"):
            for service in host["services"]:
                print(host["name"], service["name"], *addresses_of(service, host))
        after = place.read_text().strip() if place.exists() else None
        for page in client.pages(client.list_changes, after=after):
            for change in page:
                print(change["at"], change["action"], change["entity"], change["name"])
                after = change["cursor"]
        if after is not None:
            place.write_text(after)


try:
    main()
except ApiError as error:
    sys.exit(f"{error.method} {error.path}: {error}")
