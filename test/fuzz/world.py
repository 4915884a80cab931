"""A small world of real entities, which the requests are about. What they delete is made anew."""

import uuid

import requests

NETWORK_PARTS = ("networks", "subnets", "hosts", "interfaces", "ports", "services", "bindings")


def resource_of(path: str) -> str:
    """What a path is about: `hosts` for `/api/v1/hosts/{id}`, `keys` for `/api/v1/auth/keys`; empty for what is no resource."""
    return path.removeprefix("/api/v1/").removeprefix("auth/").split("/")[0]


class World:
    """An organization with one of everything. `ids` has the id of each, by the name of its resource."""

    def __init__(self, url: str, credential: str) -> None:
        self._url = url
        self._credential = credential
        self.ids: dict[str, str] = {}
        self.renew()

    @property
    def auth(self) -> dict[str, str]:
        """The headers of the credential that is tried."""
        return {"Authorization": f"Bearer {self._secret}"} if self._credential == "key" else {"Cookie": self._cookie}

    def renew(self) -> None:
        """Starts again in a new organization."""
        owner, self._cookie = self._register({})
        self.ids = {"me": owner["id"], "organizations": owner["organization_id"]}
        self._secret = self._create_key()["key"]
        for resource in ("networks", "tags", "keys", "users", "invites"):
            self._make(resource)

    def replace(self, resource: str) -> None:
        """Makes up for entities that were deleted or used up."""
        if resource in NETWORK_PARTS:
            self._make("networks")
        elif resource in ("tags", "keys", "users", "invites"):
            self._make(resource)

    def ensure_access(self) -> None:
        """Makes up for requests that took our own rights away."""
        if not self._is_welcome():
            self.renew()

    def _is_welcome(self) -> bool:
        """Whether the credential that is tried, and the session behind it, still have an owner's rights."""
        tried = requests.get(f"{self._url}/api/v1/users?limit=1", headers=self.auth, timeout=30)
        mine = requests.get(f"{self._url}/api/auth/me", headers={"Cookie": self._cookie}, timeout=30)
        return tried.status_code == 200 and mine.status_code == 200 and mine.json()["data"]["permissions"] == "Owner"

    def _make(self, resource: str) -> None:
        if resource == "networks":
            self._make_network()
        elif resource == "tags":
            self.ids["tags"] = self._send("POST", "/api/v1/tags", {"name": f"tag {uuid.uuid4()}"})["id"]
        elif resource == "keys":
            self.ids["keys"] = self._create_key()["api_key"]["id"]
        elif resource == "users":
            colleague, _ = self._register({"invite_token": self._invite()["token"]})
            self.ids["users"] = colleague["id"]
        else:
            self.ids["invites"] = self._invite()["id"]

    def _make_network(self) -> None:
        network = self._send("POST", "/api/v1/networks", {"name": "Home"})["id"]
        subnet = self._send("POST", "/api/v1/subnets", {"network_id": network, "cidr": "10.0.0.0/24", "name": "LAN"})["id"]
        port, interface = "00000000-0000-4000-8000-0000000000a1", "00000000-0000-4000-8000-0000000000a2"
        binding = {"type": "Port", "port_id": port, "interface_id": interface}
        host = self._send("POST", "/api/v1/hosts", {
            "network_id": network,
            "name": "nas",
            "interfaces": [{"id": interface, "ip_address": "10.0.0.5", "subnet_id": subnet}],
            "ports": [{"id": port, "number": 443, "protocol": "Tcp"}],
            "services": [{"name": "web", "service_definition": "nginx", "bindings": [binding]}],
        })
        self.ids |= {"networks": network, "subnets": subnet, "hosts": host["id"]}
        self.ids |= {part: host[part][0]["id"] for part in ("interfaces", "ports", "services")}
        self.ids["bindings"] = host["services"][0]["bindings"][0]["id"]

    def _create_key(self) -> dict:
        own = {"organization_id": self.ids["organizations"], "user_id": self.ids["me"]}
        return self._send("POST", "/api/v1/auth/keys", {"name": "key", "tags": [], "permissions": "Owner", **own})

    def _invite(self) -> dict:
        return self._send("POST", "/api/v1/invites", {"permissions": "Member"})

    def _register(self, more: dict) -> tuple[dict, str]:
        body = {"email": f"fuzz-{uuid.uuid4()}@example.com", "password": "correct horse battery staple", **more}
        answer = requests.post(f"{self._url}/api/auth/register", json=body, timeout=30)
        answer.raise_for_status()
        return answer.json()["data"], f"session_id={answer.cookies['session_id']}"

    def _send(self, method: str, path: str, body: object) -> dict:
        answer = requests.request(method, self._url + path, json=body, headers={"Cookie": self._cookie}, timeout=30)
        if answer.status_code != 200:
            raise RuntimeError(f"{method} {path} answered {answer.status_code}: {answer.text}")
        return answer.json()["data"]
