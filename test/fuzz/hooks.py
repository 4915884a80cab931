"""What schemathesis cannot know of this API: its formats, real ids, its credentials, and which refusals are right."""

import atexit
import collections
import json
import os
import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import schemathesis
from hypothesis import strategies as st

from world import World, resource_of

WORLD = World(os.environ["FUZZ_URL"], os.environ["FUZZ_CREDENTIAL"])

# --- values -----------------------------------------------------------------------------------------------------------

# Generated values must follow from the seed alone, so a real id is generated as a stand-in, and put in when it is sent.
STAND_IN = re.compile(r"^00000000-0000-4000-8000-00000000f00([0-7])$")
NOTATIONS = {
    4: str.upper,
    5: lambda text: "{" + text + "}",
    6: lambda text: "urn:uuid:" + text,
    7: lambda text: text.replace("-", ""),
}
stand_ins = st.integers(0, 7).map(lambda n: f"00000000-0000-4000-8000-00000000f00{n}")
schemathesis.openapi.format("uuid", st.one_of(stand_ins, stand_ins, st.uuids().map(str)))

address = st.integers(0, 255).map(lambda n: f"10.0.0.{n}")
schemathesis.openapi.format("ipv4", st.one_of(address, st.ip_addresses(v=4).map(str)))
pairs = st.binary(min_size=6, max_size=6)
schemathesis.openapi.format("mac", st.one_of(pairs.map(lambda p: p.hex(":")), pairs.map(lambda p: p.hex("-").upper())))
schemathesis.openapi.format("cidrv4", st.sampled_from(["10.0.0.0/24", "10.0.0.0/8", "192.168.7.4/30", "0.0.0.0/0"]))
schemathesis.openapi.format("cidrv6", st.sampled_from(["fd00::/8", "2001:db8::/64", "::/0"]))
word = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=20)
schemathesis.openapi.format("email", st.builds("{}.{}@{}.example".format, word, word, word))
schemathesis.openapi.format("password", st.text(st.characters(exclude_categories=["C"]), min_size=10, max_size=128))

OF_MEMBER = {
    "network_id": "networks", "network_ids": "networks", "subnet_id": "subnets", "host_id": "hosts",
    "interface_id": "interfaces", "port_id": "ports", "service_id": "services", "user_id": "me",
    "organization_id": "organizations", "tags": "tags", "tag_ids": "tags",
}  # fmt: skip


# Cases with an id in a notation that `format: uuid` does not know: they are right all the same.
NOTED: set[str] = set()


def real(case, value: object, resource: str) -> object:
    """The value with a real id for each stand-in: of what its member says, or of the resource of the path."""
    if isinstance(value, dict):
        return {name: real(case, member, OF_MEMBER.get(name, resource)) for name, member in value.items()}
    if isinstance(value, list):
        return [real(case, element, resource) for element in value]
    found = STAND_IN.match(value) if isinstance(value, str) else None
    known = WORLD.ids.get(resource)
    if found is None or known is None:
        return value
    notation = NOTATIONS.get(int(found[1]))
    if notation is None:
        return known
    NOTED.add(case.id)
    return notation(known)


@schemathesis.hook
def before_call(ctx, case, kwargs):
    resource = resource_of(case.path)
    case.path_parameters = real(case, case.path_parameters, resource)
    case.query = real(case, case.query, resource)
    # An answer that is held back for longer than a request may take is no answer to judge.
    if isinstance(case.query, dict) and str(case.query.get("wait", "")).isdecimal():
        case.query = {**case.query, "wait": min(int(case.query["wait"]), 5)}
    if isinstance(case.body, dict) and case.operation.label == "POST /api/v1/hosts":
        # ids of children are local names; what they refer to outside of the body is not
        case.body = {
            name: member if name in ("ports", "services") else real(case, member, OF_MEMBER.get(name, "none"))
            for name, member in case.body.items()
        }
    elif isinstance(case.body, (dict, list)):
        case.body = real(case, case.body, resource)


@schemathesis.serializer("application/x-ndjson")
def lines(ctx, value):
    """An archive, of which the schema says nothing but that it is a file."""
    return {"data": value if isinstance(value, bytes) else str(value).encode("utf8", "replace")}


# --- credentials and the life of the world ----------------------------------------------------------------------------


@schemathesis.auth(refresh_interval=None)
class Credential:
    def get(self, case, ctx):
        return WORLD.auth

    def set(self, case, data, ctx):
        case.headers = {**(case.headers or {}), **data}


SENT = collections.Counter()

# Where a success can take the rights of our own credential away.
ACCESS = ("users", "keys", "organizations", "")


@schemathesis.hook
def after_call(ctx, case, response):
    SENT[response.status_code] += 1
    resource = resource_of(case.path)
    done = response.status_code == 200
    if response.status_code == 401 or code_of(response) == "api_access_disabled" or (done and resource in ACCESS):
        WORLD.ensure_access()
    if done and (case.method == "DELETE" or case.path.endswith("/bulk-delete")):
        WORLD.replace(resource)


@atexit.register
def report():
    Path(os.environ["FUZZ_COUNTS"]).write_text(json.dumps(SENT))


# --- checks -----------------------------------------------------------------------------------------------------------

FORM = {"validation_failed", "malformed_json", "unsupported_media_type", "malformed_request"}


def code_of(response):
    try:
        return response.json().get("code")
    except (ValueError, AttributeError):
        return None


# Refusals with `validation_failed` for what a body says, which no schema can: the last words of their messages.
MEANING = re.compile(
    r"must have all host bits zero.*|is the local name of another child too|must be in the future"
    r"|the host of an? \w+ cannot be changed|must not exceed 16 KiB as JSON"
    r"|must be 0 when a cursor is given|must be a time in ISO 8601, or a cursor|is not available for past states|is only supported for [\w-]+"
    r"|is required for (?:\w+|a view of the whole organization)|must be a DNS zone name|must not be in the future|must not be later than `to`"
    r"|must be inside \S+|must not overlap another range|must not end before it begins"
    r"|requires the order `asc`|is not supported for files of the format [\w-]+|must not contain a port together with as_of"
    r"|cannot be combined with host_id|is the name of several hosts; .*|is required unless host_id is given: .*"
    r"|has host bits: write \S+|must be `heading=meaning`"
    r"|must be at two different hosts|must be another host|must not contain invisible characters: .*"
    r"|must be the `etag` of a plan: .*|must not be Owner for a service account"
    r"|must be the name of the organization|must list networks that you have access to|is too easy to guess\..*"
)


def is_of_meaning(error: dict) -> bool:
    """Whether a fault lies in what a body says; of a file the schema says nothing but that it is XML."""
    # Of a patch that names details alone, where there is nothing yet of which they are.
    is_of_nothing = error["path"] == "virtualization.type" and error["message"] == "is required"
    return error["path"].startswith("line ") or is_of_nothing or MEANING.fullmatch(error["message"]) is not None


def query_values(response) -> list[str]:
    """The values of the query as it was sent."""
    return [value for _, value in parse_qsl(urlsplit(response.request.url).query, keep_blank_values=True)]


def has_outer_space(value: object) -> bool:
    """Whether any text in the value begins or ends with white space."""
    if isinstance(value, dict):
        return any(map(has_outer_space, value.values()))
    if isinstance(value, list):
        return any(map(has_outer_space, value))
    return isinstance(value, str) and value != value.strip()


@schemathesis.hook
def filter_failure(ctx, failure, case, response):
    """False where the check knows less than the contract says in words."""
    kind = type(failure).__name__
    # The server of the fuzzing sends no mail, and the way back from a provider ends in the browser, whatever it brings.
    if kind == "ServerError" and code_of(response) == "mail_not_configured":
        return False
    if kind == "AcceptedNegativeData" and response.status_code == 303:
        return False
    if kind == "RejectedPositiveData":
        # Valid data may be refused for what it says (an address outside of its subnet), never for its form.
        errors = response.json().get("params", {}).get("errors", []) if code_of(response) in FORM else None
        if errors is None or (errors and all(map(is_of_meaning, errors))):
            return False
        # White space around a text does not count, so that it may be too short without it.
        is_short = all("must have at least" in error["message"] for error in errors)
        if is_short and has_outer_space([case.body, query_values(response)]):
            return False
        # A comma ends an element of a list, also where its schema takes it for a part of the text.
        return not any("," in str(case.query.get(error["path"].split(".")[0], "")) for error in errors)
    if kind == "AcceptedNegativeData":
        # `name=` and `name=null` are the same as leaving a parameter out; white space around a text does not count.
        sent = query_values(response)
        absent = any(value in ("", "null") for value in sent)
        # HTTP drops the white space around a header, too.
        spaced = has_outer_space([sent, case.body, dict(case.headers or {})])
        return case.id not in NOTED and not absent and not spaced
    return True


@schemathesis.check
def documented_code(ctx, response, case):
    """Every success is documented; every failure has the envelope, and a code that is documented for its status."""
    # Methods that the document has not at this path: OPTIONS is answered 204, the others 405, by no operation.
    if response.request.method in ("HEAD", "OPTIONS") or response.status_code == 405:
        return
    # The answer `default` is for failures, so it does not make up for a success or redirect that is not named.
    if response.status_code < 400:
        assert str(response.status_code) in case.operation.responses.status_codes, f"{response.status_code} is not documented"
        return
    assert "x-request-id" in response.headers, "no X-Request-Id"
    code = code_of(response)
    assert code is not None, f"{response.status_code} without a code"
    # Some values of a parameter make another path.
    if code == "not_found" and response.json()["params"].get("entity") == "Path":
        return
    responses = case.operation.responses
    # Each status names its codes; `default` is only for requests that are not read completely.
    definition = responses.get(str(response.status_code)) or (responses.get("default") if response.status_code in (408, 431) else None)
    if case.method == response.request.method:
        assert definition is not None, f"{response.status_code} `{code}` is not documented"
        assert f"`{code}`" in definition.definition["description"], f"`{code}` is not documented for {response.status_code}"
