/**
 * Creates the demo organization through the public API, once: a later start finds it, and completes an interrupted one,
 * leaving existing entities unchanged.
 */
import { randomBytes } from "node:crypto";
import type { Host } from "@nts/shared/contract";
import { linkBodies, VLANS } from "@nts/shared/sample/cabling";
import { SUBNETS } from "@nts/shared/sample/data";
import { dependencyBodies } from "@nts/shared/sample/dependencies";
import { type DemoRecord, readDemoRecord, writeDemoRecord } from "./access.js";
import { ApiRefusal, createDemoApi, type DemoApi } from "./api.js";
import { ENGINEER, enterAs, HELP_DESK } from "./colleagues.js";
import { createHistory } from "./history.js";
import { createNetwork } from "./network.js";
import { createPartner } from "./partner.js";
import { type PastMoment, type Phase, timeOf } from "./past.rules.js";
import { StartProblem } from "../start-problem.js";

const EMAIL = "demo@example.com";
const ORGANIZATION = "Example Company";
const WRITTEN_DOWN: PastMoment = { daysAgo: 7, at: "09:15" };

export interface DemoOptions {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
  /** Nobody else uses the databases, so the times of a new demo can be moved into the past. */
  readonly isAlone: boolean;
}

interface User {
  readonly id: string;
  readonly organization_id: string;
}

/**
 * Creates the demo organization unless it exists, and returns its credentials.
 *
 * @throws StartProblem if the API rejects something
 */
export async function createDemo(options: DemoOptions): Promise<DemoRecord> {
  const { dataDir, report, isAlone } = options;
  const phases: Phase[] = [];
  const now = Date.now();
  const begin = (when: PastMoment): void => {
    phases.push({ at: Date.now(), past: timeOf(when, now) });
  };
  begin(WRITTEN_DOWN);
  const api = createDemoApi(options);
  let record = readDemoRecord(dataDir) ?? newRecord();
  writeDemoRecord(dataDir, record); // before the account exists: its password must not be lost

  const { user, isNew } = await enter(api, record, dataDir);
  if (isNew || !(await opens(api, record.apiKey))) {
    if (record.apiKey !== "") await api.post("/api/auth/login", { email: record.email, password: record.password });
    record = { ...record, apiKey: await createKey(api, user), complete: record.complete && !isNew };
    writeDemoRecord(dataDir, record);
    api.useKey(record.apiKey);
  }
  if (!record.complete) {
    report("Creating the demo network …");
    const networkId = await createNetwork(api, report);
    await createCabling(api, networkId);
    await createDependencies(api, networkId);
    await createViews(api, networkId);
    const invitation = { owner: api, password: record.password, networkIds: [networkId], options };
    const engineer = await enterAs(ENGINEER, invitation);
    const helpDesk = await enterAs(HELP_DESK, invitation);
    await createWebhook(api);
    await createHistory({ engineer, "help desk": helpDesk, script: api }, begin);
    await untilRecorded(api);
    // Only data written by this start is moved.
    const toMove = { organizationId: user.organization_id, seeding: { phases, until: Date.now() } };
    await createPartner({ email: record.email, password: record.password, options });
    record = { ...record, complete: true, ...(isNew && isAlone && { toMove }) };
    writeDemoRecord(dataDir, record);
  }
  return record;
}

/** Logs in, or registers if there is no such account. */
async function enter(api: DemoApi, record: DemoRecord, dataDir: string): Promise<{ user: User; isNew: boolean }> {
  const { email, password } = record;
  try {
    return { user: await api.post<User>("/api/auth/login", { email, password }), isNew: false };
  } catch (error) {
    if (!isRefusal(error, "invalid_credentials")) throw error;
  }
  try {
    const body = { email, password, organization_name: ORGANIZATION };
    return { user: await api.post<User>("/api/auth/register", body), isNew: true };
  } catch (error) {
    if (!isRefusal(error, "already_exists")) throw error;
    throw new StartProblem(
      `The demo account ${email} exists, but its password is not the one in ${dataDir}/demo.json; log in with the changed one, or start with another DATA_DIR.`,
    );
  }
}

/** Whether the key is still valid; the client uses it from here on. */
async function opens(api: DemoApi, apiKey: string): Promise<boolean> {
  if (apiKey === "") return false;
  try {
    api.useKey(apiKey);
    await api.get("/api/v1/networks?limit=1");
    return true;
  } catch (error) {
    if (error instanceof ApiRefusal && (error.status === 401 || error.status === 403)) return false;
    throw error;
  }
}

async function createKey(api: DemoApi, user: User): Promise<string> {
  const { key } = await api.post<{ key: string }>("/api/v1/auth/keys", {
    name: "Demo key",
    organization_id: user.organization_id,
    user_id: user.id,
    tags: [],
    permissions: "Admin",
  });
  return key;
}

/** A disabled example, so that nothing leaves the machine. */
async function createWebhook(api: DemoApi): Promise<void> {
  if ((await api.get<readonly unknown[]>("/api/v1/webhooks")).length > 0) return;
  const filter = { entities: ["Host", "Service"], actions: ["created", "deleted"] };
  await api.post("/api/v1/webhooks", { url: "https://hooks.example.com/topology", filter, is_enabled: false });
}

/** The VLANs, and what hangs on which port. */
async function createCabling(api: DemoApi, network_id: string): Promise<void> {
  const vlans = await api.get<readonly { id: string; vid: number }[]>(`/api/v1/vlans?network_id=${network_id}`);
  const ids = new Map(vlans.map(({ vid, id }) => [vid, id]));
  const subnets = await api.get<readonly { id: string; name: string }[]>(`/api/v1/subnets?network_id=${network_id}`);
  for (const { vid, name, subnet: key } of VLANS) {
    const vlan_id = ids.get(vid) ?? (await api.post<{ id: string }>("/api/v1/vlans", { network_id, vid, name })).id;
    ids.set(vid, vlan_id);
    const subnet = subnets.find((one) => one.name === SUBNETS.find((sample) => sample.key === key)?.name);
    if (subnet !== undefined) await api.patch(`/api/v1/subnets/${subnet.id}`, { vlan_id });
  }
  if ((await api.get<readonly unknown[]>("/api/v1/links")).length > 0) return;
  const hosts = await api.get<readonly Host[]>(`/api/v1/hosts?network_id=${network_id}&limit=0`);
  for (const body of linkBodies(network_id, hosts, ids)) await api.post("/api/v1/links", body);
}

/** What needs what. */
async function createDependencies(api: DemoApi, network_id: string): Promise<void> {
  if ((await api.get<readonly unknown[]>("/api/v1/dependencies")).length > 0) return;
  const hosts = await api.get<readonly Host[]>(`/api/v1/hosts?network_id=${network_id}&limit=0`);
  for (const body of dependencyBodies(network_id, hosts)) await api.post("/api/v1/dependencies", body);
}

/** Two pictures of the map, one of the network and one of all. */
async function createViews(api: DemoApi, network_id: string): Promise<void> {
  if ((await api.get<readonly unknown[]>("/api/v1/views")).length > 0) return;
  await api.post("/api/v1/views", {
    network_id,
    name: "Machines and their guests",
    layer: "workloads",
    tags: ["demo"],
  });
  const filters = { categories: ["ReverseProxy", "Email", "Publishing"] };
  await api.post("/api/v1/views", { name: "What the Internet reaches", layer: "services", filters, tags: ["demo"] });
}

/** Waits until the journal has all changes, as a read of recent state does. */
async function untilRecorded(api: DemoApi): Promise<void> {
  await api.get(`/api/v1/networks?as_of=${new Date().toISOString()}`);
}

function newRecord(): DemoRecord {
  return { email: EMAIL, password: randomBytes(12).toString("base64url"), apiKey: "", complete: false };
}

function isRefusal(error: unknown, code: string): boolean {
  return error instanceof ApiRefusal && error.code === code;
}
