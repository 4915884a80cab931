// Works with the client that @hey-api/openapi-ts makes by default.
import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { client } from "./client/client.gen.js";
import * as api from "./client/index.js";

const { NTS_URL = "", NTS_API_KEY = "", NTS_NETWORK = "", NTS_SUBNET = "", NTS_FILE = "" } = process.env;
client.setConfig({ baseUrl: NTS_URL, auth: NTS_API_KEY });
const network_id = NTS_NETWORK;
const start = await api.listChanges({ query: { network_id, limit: 1_000 } });

const made = await api.createHost({
  body: {
    network_id,
    name: "nas",
    interfaces: [{ subnet_id: NTS_SUBNET, ip_address: "10.0.0.5" }],
    ports: [{ number: 443, protocol: "Tcp" }],
    services: [{ name: "files", service_definition: "Nextcloud" }],
  },
});
assert(made.data !== undefined, JSON.stringify(made.error));
const nas = made.data.data;
assert.deepEqual([nas.interfaces[0]?.ip_address, nas.ports[0]?.number], ["10.0.0.5", 443]);
for (const name of ["printer", "router"]) await api.createHost({ body: { network_id, name } });

const page = await api.listHosts({ query: { network_id, limit: 2 } });
const cursor = page.data!.meta.pagination.next!;
const rest = await api.listHosts({ query: { network_id, limit: 2, cursor } });
assert.deepEqual(
  [...page.data!.data, ...rest.data!.data].map(({ name }) => name),
  ["nas", "printer", "router"],
);

const id = nas.services[0]!.id;
const read = await api.getServiceById({ path: { id } });
const { host_id, position, service_definition } = read.data!.data;
const etag = read.response!.headers.get("etag")!;
const rename = () =>
  api.updateService({
    path: { id },
    headers: { "If-Match": etag },
    body: {
      ...{ network_id, host_id, position, service_definition },
      ...{ name: "cloud", bindings: [], source: { type: "manual" }, tags: [] },
    },
  });
assert.equal((await rename()).data?.data.name, "cloud");
const stale = await rename();
assert.deepEqual([stale.response?.status, stale.error?.code], [412, "precondition_failed"]);

const missing = await api.getHostById({ path: { id: crypto.randomUUID() } });
assert.deepEqual([missing.response?.status, missing.error?.code], [404, "not_found"]);

const plan = await api.importFile({
  path: { format: "ip-neigh" },
  query: { network_id },
  body: await openAsBlob(NTS_FILE),
});
assert(plan.data !== undefined && "summary" in plan.data.data, JSON.stringify(plan.error));
assert.equal(plan.data.data.summary.hosts.create, 1);

const after = start.data!.meta.next!;
const followed = await api.listChanges({ query: { network_id, after, wait: 5, limit: 1_000 } });
assert(followed.data!.data.some(({ entity, name }) => entity === "Host" && name === "nas"));
console.log("works");
