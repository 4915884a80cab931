"""Works with the client that openapi-python-client makes by default."""

import os
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from uuid import UUID, uuid4

from nts_api import AuthenticatedClient
from nts_api.api.changes import list_changes
from nts_api.api.hosts import create_host, get_host_by_id, list_hosts
from nts_api.api.imports import import_file
from nts_api.api.services import get_service_by_id, update_service
from nts_api.models import (
    EchoedSource,
    Failure,
    HostCreate,
    HostEnvelope,
    ImportFormat,
    InterfaceOfNewHost,
    PortOfNewHost,
    Protocol,
    ServiceOfNewHost,
    ServiceUpdate,
)
from nts_api.types import File

client = AuthenticatedClient(base_url=os.environ["NTS_URL"], token=os.environ["NTS_API_KEY"])
network = UUID(os.environ["NTS_NETWORK"])
start = list_changes.sync(client=client, network_id=network, limit=1000).meta.next_

nas = HostCreate(
    network_id=network,
    name="nas",
    interfaces=[InterfaceOfNewHost(subnet_id=UUID(os.environ["NTS_SUBNET"]), ip_address="10.0.0.5")],
    ports=[PortOfNewHost(number=443, protocol=Protocol.PROTOCOL_TCP)],
    services=[ServiceOfNewHost(name="files", service_definition="Nextcloud")],
)
made = create_host.sync(client=client, body=nas, idempotency_key=str(network))
assert isinstance(made, HostEnvelope), made
assert made.data.interfaces[0].ip_address == "10.0.0.5" and made.data.ports[0].number == 443
assert create_host.sync(client=client, body=nas, idempotency_key=str(network)).data.id == made.data.id
for name in ["printer", "router"]:
    create_host.sync(client=client, body=HostCreate(network_id=network, name=name))

page = list_hosts.sync(client=client, network_id=network, limit=2)
rest = list_hosts.sync(client=client, network_id=network, limit=2, cursor=page.meta.pagination.next_)
assert [host.name for host in page.data + rest.data] == ["nas", "printer", "router"]

read = get_service_by_id.sync_detailed(client=client, id=made.data.services[0].id)
service = read.parsed.data
renamed = ServiceUpdate(
    bindings=[],
    host_id=service.host_id,
    name="cloud",
    network_id=network,
    position=service.position,
    service_definition=service.service_definition,
    source=EchoedSource(type_="manual"),
    tags=[],
)
etag = read.headers["etag"]
assert update_service.sync(client=client, id=service.id, body=renamed, if_match=etag).data.name == "cloud"
stale = update_service.sync_detailed(client=client, id=service.id, body=renamed, if_match=etag)
assert stale.status_code == HTTPStatus.PRECONDITION_FAILED and isinstance(stale.parsed, Failure)
assert stale.parsed.code == "precondition_failed"

missing = get_host_by_id.sync_detailed(client=client, id=uuid4())
assert missing.status_code == HTTPStatus.NOT_FOUND and missing.parsed.code == "not_found"

file = File(payload=BytesIO(Path(os.environ["NTS_FILE"]).read_bytes()))
plan = import_file.sync(ImportFormat.IMPORT_FORMAT_IP_NEIGH, client=client, body=file, network_id=network)
assert plan.data.summary.hosts.create == 1, plan

changes = list_changes.sync(client=client, network_id=network, after=start, wait=5, limit=1000)
assert "nas" in [change.name for change in changes.data if change.entity == "Host"]
print("works")
