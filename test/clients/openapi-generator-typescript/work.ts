// Works with the client that openapi-generator makes for TypeScript and fetch by default.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import * as api from "./client/index.js";

const { NTS_URL = "", NTS_API_KEY = "", NTS_NETWORK = "", NTS_SUBNET = "", NTS_FILE = "" } = process.env;
const configuration = new api.Configuration({ basePath: NTS_URL, accessToken: NTS_API_KEY });
const changes = new api.ChangesApi(configuration);
const hosts = new api.HostsApi(configuration);
const services = new api.ServicesApi(configuration);
const networkId = NTS_NETWORK;
const start = await changes.listChanges({ networkId, limit: 1_000 });

const { data: nas } = await hosts.createHost({
  hostCreate: {
    networkId,
    name: "nas",
    interfaces: [{ subnetId: NTS_SUBNET, ipAddress: "10.0.0.5" }],
    ports: [{ number: 443, protocol: "Tcp" }],
    services: [{ name: "files", serviceDefinition: "Nextcloud" }],
  },
});
assert.deepEqual([nas.interfaces[0]?.ipAddress, nas.ports[0]?.number], ["10.0.0.5", 443]);
for (const name of ["printer", "router"]) await hosts.createHost({ hostCreate: { networkId, name } });

const page = await hosts.listHosts({ networkId, limit: 2 });
const rest = await hosts.listHosts({ networkId, limit: 2, cursor: page.meta.pagination.next! });
assert.deepEqual(
  [...page.data, ...rest.data].map(({ name }) => name),
  ["nas", "printer", "router"],
);

const id = nas.services[0]!.id;
const read = await services.getServiceByIdRaw({ id });
const { hostId, position, serviceDefinition } = (await read.value()).data;
const ifMatch = read.raw.headers.get("etag")!;
const rename = () =>
  services.updateService({
    id,
    ifMatch,
    serviceUpdate: {
      ...{ networkId, hostId, position, serviceDefinition },
      ...{ name: "cloud", bindings: [], source: { type: "manual" }, tags: [] },
    },
  });
assert.equal((await rename()).data.name, "cloud");
assert.deepEqual(await failureOf(rename()), [412, "precondition_failed"]);
assert.deepEqual(await failureOf(hosts.getHostById({ id: crypto.randomUUID() })), [404, "not_found"]);

const body = await openAsBlob(NTS_FILE);
const plan = await new api.ImportsApi(configuration).importFile({ format: "ip-neigh", networkId, body });
assert.equal(plan.data.summary.hosts.create, 1);

const followed = await changes.listChanges({ networkId, after: start.meta.next!, wait: 5, limit: 1_000 });
assert(followed.data.some(({ entity, name }) => entity === "Host" && name === "nas"));
console.log("works");

async function failureOf(call: Promise<unknown>): Promise<[number, api.ErrorCode]> {
  const error: unknown = await call.then(() => null).catch((reason: unknown) => reason);
  assert(error instanceof api.ResponseError, String(error));
  return [error.response.status, api.FailureFromJSON(await error.response.json()).code];
}
