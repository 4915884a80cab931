"""Works with a client that openapi-python-client has made from the OpenAPI document."""

import asyncio
import os

from nts_api.api.hosts import create_host, list_hosts
from nts_api.api.networks import create_network, delete_network, get_network_by_id, patch_network
from nts_api.api.subnets import create_subnet
from nts_api.client import AuthenticatedClient
from nts_api.models import (
    Failure,
    HostCreate,
    InterfaceOfNewHost,
    NetworkCreate,
    NetworkPatch,
    SubnetCreate,
)

client = AuthenticatedClient(base_url=os.environ["NTS_URL"], token=os.environ["NTS_API_KEY"])

network = create_network.sync(client=client, body=NetworkCreate(name="Home"), idempotency_key="once").data
again = create_network.sync(client=client, body=NetworkCreate(name="Home"), idempotency_key="once").data
assert again.id == network.id, "a repeat is the same network"

patched = patch_network.sync(client=client, id=network.id, body=NetworkPatch(name="House")).data
assert get_network_by_id.sync(client=client, id=network.id).data.name == patched.name == "House"

lan = SubnetCreate(network_id=network.id, cidr="10.0.0.0/24", name="LAN")
subnet = create_subnet.sync(client=client, body=lan).data
interface = InterfaceOfNewHost(subnet_id=subnet.id, ip_address="10.0.0.5")
for name in ["nas", "printer", "router"]:
    interfaces = [interface] if name == "nas" else []
    create_host.sync(client=client, body=HostCreate(network_id=network.id, name=name, interfaces=interfaces))

page = list_hosts.sync(client=client, limit=2)
assert [host.name for host in page.data] == ["nas", "printer"], page.data
assert page.data[0].interfaces[0].ip_address == "10.0.0.5"
rest = list_hosts.sync(client=client, limit=2, cursor=page.meta.pagination.next_)
assert [host.name for host in rest.data] == ["router"], rest.data

refused = create_network.sync_detailed(client=client, body=NetworkCreate(name=""))
assert refused.status_code == 400 and isinstance(refused.parsed, Failure), refused
assert refused.parsed.code == "validation_failed", refused.parsed

assert asyncio.run(delete_network.asyncio(client=client, id=network.id)).success is True
print("the client in Python works")
