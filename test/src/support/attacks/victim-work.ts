/** What a victim does besides its small reads: each kind of work again and again, one at a time. */
import { randomUUID } from "node:crypto";
import { MERGE_PATCH_TYPE } from "@nts/shared/contract/upload";
import { hostWith, scanWith } from "./scans.js";
import { type Arrivals, createArrivals, receive } from "./victim-arrivals.js";
import type { Send } from "./victim-http.js";

/** The account of a victim. */
export interface Credentials {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  readonly password: string;
  readonly cookie: string;
}

/** A kind of work, which starts at most this often. */
export interface Job {
  readonly everyMs: number;
  /** @throws Error when it fails */
  readonly run: () => Promise<unknown>;
}

type Jobs = Readonly<Record<string, Job>>;

interface CreatedKey {
  readonly api_key: { readonly id: string };
  readonly key: string;
}

interface Host {
  readonly network_id: string;
  readonly ports: readonly { readonly id: string }[];
  readonly services: readonly { readonly id: string; readonly name: string }[];
}

const SCAN = scanWith(hostWith('<address addr="10.9.9.9" addrtype="ipv4"/>'));
const NO_KEY = { authorization: "" };

/** Creates what the jobs need. @returns the jobs by name */
export async function prepareJobs(send: Send, account: Credentials): Promise<ReadonlyMap<string, Job>> {
  const network = await send("POST", "/api/v1/networks", { body: { name: "own" } });
  const ports = [80, 443].map((number) => ({ number, protocol: "Tcp" }));
  const names = ["updated", "bound", "followed", "delivered"];
  const services = names.map((name) => ({ name, service_definition: "nginx", bindings: [] }));
  const host = await send<Host>("POST", "/api/v1/hosts", {
    body: { network_id: network.id, name: "own", ports, services },
  });
  const patch = patching(send, host);
  const all = {
    ...reads(send),
    ...writes(send, host, patch),
    ...(await arrivals(send, patch)),
    ...accesses(send, account),
  };
  return new Map(Object.entries(all));
}

/** Changes a service of the host. */
type Patch = (service: string, body: object) => Promise<unknown>;

function patching(send: Send, host: Host): Patch {
  return (service, body) => {
    const { id = "" } = host.services.find(({ name }) => name === service) ?? {};
    return send("PATCH", `/api/v1/services/${id}`, { body, headers: { "content-type": MERGE_PATCH_TYPE } });
  };
}

function reads(send: Send): Jobs {
  return {
    "reads the past": {
      everyMs: 500,
      run: () => send("GET", `/api/v1/services?as_of=${new Date(Date.now() - 1_000).toISOString()}`),
    },
    searches: { everyMs: 500, run: () => send("GET", "/api/v1/hosts?q=own&order_by=name") },
    "reads the topology": { everyMs: 1_000, run: () => send("GET", "/api/v1/topology") },
    exports: { everyMs: 1_000, run: () => send("GET", "/api/v1/exports/ansible") },
  };
}

function writes(send: Send, host: Host, patch: Patch): Jobs {
  const { network_id } = host;
  const scan = { body: SCAN, headers: { "content-type": "application/xml" } };
  let turn = 0;
  return {
    "updates a service": { everyMs: 200, run: () => patch("updated", { name: randomUUID() }) },
    "changes bindings": {
      everyMs: 500,
      run: () => patch("bound", { bindings: [{ type: "Port", port_id: host.ports[turn++ % 2]?.id }] }),
    },
    "creates and deletes a host": {
      everyMs: 1_000,
      run: async () => {
        const { id } = await send("POST", "/api/v1/hosts", { body: { network_id, name: "new" } });
        await send("DELETE", `/api/v1/hosts/${id}`);
      },
    },
    imports: { everyMs: 2_000, run: () => send("POST", `/api/v1/imports/nmap?network_id=${network_id}`, scan) },
  };
}

/** Changes that last until they are received. */
async function arrivals(send: Send, patch: Patch): Promise<Jobs> {
  const streamed = createArrivals();
  const delivered = createArrivals();
  await send.follow("/api/v1/changes/stream", streamed.see);
  await send("POST", "/api/v1/webhooks", { body: { url: await receive(delivered.see) } });
  const received = async (service: string, seen: Arrivals): Promise<void> => {
    const name = randomUUID();
    const arrival = seen.of(name);
    await patch(service, { name });
    await arrival;
  };
  return {
    "follows a change": { everyMs: 500, run: () => received("followed", streamed) },
    "receives a webhook": { everyMs: 1_000, run: () => received("delivered", delivered) },
  };
}

function accesses(send: Send, { organizationId, userId, email, password, cookie }: Credentials): Jobs {
  const bySession = { ...NO_KEY, cookie };
  const newKey = { name: "new", organization_id: organizationId, user_id: userId, tags: [], permissions: "Viewer" };
  return {
    "signs in and out": {
      everyMs: 1_000,
      run: async () => {
        const session = await send.cookie("POST", "/api/auth/login", { body: { email, password }, headers: NO_KEY });
        await send("POST", "/api/auth/logout", { headers: { ...NO_KEY, cookie: session } });
      },
    },
    "creates, uses and deletes a key": {
      everyMs: 1_000,
      run: async () => {
        const created = await send<CreatedKey>("POST", "/api/v1/auth/keys", { body: newKey, headers: bySession });
        await send("GET", "/api/v1/networks", { headers: { authorization: `Bearer ${created.key}` } });
        await send("DELETE", `/api/v1/auth/keys/${created.api_key.id}`, { headers: bySession });
      },
    },
  };
}
