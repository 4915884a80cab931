"""Works with the client that openapi-generator makes for Python by default."""

import os
from pathlib import Path
from uuid import uuid4

import openapi_client as api

configuration = api.Configuration(host=os.environ["NTS_URL"], access_token=os.environ["NTS_API_KEY"])
network = os.environ["NTS_NETWORK"]

with api.ApiClient(configuration) as client:
    changes, hosts, services = api.ChangesApi(client), api.HostsApi(client), api.ServicesApi(client)
    start = changes.list_changes(network_id=network, limit=1000).meta.next

    nas = api.HostCreate(
        network_id=network,
        name="nas",
        interfaces=[api.InterfaceOfNewHost(subnet_id=os.environ["NTS_SUBNET"], ip_address="10.0.0.5")],
        ports=[api.PortOfNewHost(number=443, protocol=api.Protocol.PROTOCOL_TCP)],
        services=[api.ServiceOfNewHost(name="files", service_definition="Nextcloud")],
    )
    made = hosts.create_host(nas, idempotency_key=str(network)).data
    assert made.interfaces[0].ip_address == "10.0.0.5" and made.ports[0].number == 443
    assert hosts.create_host(nas, idempotency_key=str(network)).data.id == made.id
    for name in ["printer", "router"]:
        hosts.create_host(api.HostCreate(network_id=network, name=name))

    page = hosts.list_hosts(network_id=network, limit=2)
    rest = hosts.list_hosts(network_id=network, limit=2, cursor=page.meta.pagination.next)
    assert [host.name for host in page.data + rest.data] == ["nas", "printer", "router"]

    read = services.get_service_by_id_with_http_info(made.services[0].id)
    service, etag = read.data.data, read.headers["ETag"]
    renamed = api.ServiceUpdate(
        bindings=[],
        host_id=service.host_id,
        name="cloud",
        network_id=network,
        position=service.position,
        service_definition=service.service_definition,
        source=api.EchoedSource(type="manual"),
        tags=[],
    )
    assert services.update_service(service.id, renamed, if_match=etag).data.name == "cloud"
    try:
        services.update_service(service.id, renamed, if_match=etag)
        raise AssertionError("a stale update was accepted")
    except api.ApiException as refused:
        assert refused.status == 412 and refused.data.code == "precondition_failed", refused

    try:
        hosts.get_host_by_id(uuid4())
        raise AssertionError("a host that does not exist was found")
    except api.exceptions.NotFoundException as refused:
        assert refused.data.code == "not_found", refused

    file = Path(os.environ["NTS_FILE"]).read_bytes()
    plan = api.ImportsApi(client).import_file(api.ImportFormat.IMPORT_FORMAT_IP_NEIGH, network, file)
    assert plan.data.summary.hosts.create == 1, plan

    followed = changes.list_changes(network_id=network, after=start, wait=5, limit=1000).data
    assert "nas" in [change.name for change in followed if change.entity == "Host"]
print("works")
