import {
  type Attachment,
  type AttachmentStep,
  type HostRecord,
  type Link,
  type LinkEnd,
  MOST_ATTACHMENTS,
  type Role,
} from "@nts/shared/contract";
import { UNMANAGED } from "../values/unmanaged.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import { roleOfHost } from "./map.rules.js";

// Follows the links of a host to the next switch, through unmanaged ones, and from a guest without links to what it runs on.

/** Where links and hosts are read. */
export interface LinksAround {
  linksAt(hostIds: readonly string[]): Promise<readonly Link[]>;
  hosts(ids: readonly string[]): Promise<readonly HostRecord[]>;
}

/** Unmanaged switches behind each other, and runners of runners. */
const DEEPEST = 8;
const CARRIERS: ReadonlySet<Role | null> = new Set<Role>(["Switch", "AccessPoint", "Router", "Firewall"]);

/** What is reached so far, and how. */
interface Reached {
  readonly host: HostRecord;
  readonly path: readonly AttachmentStep[];
  readonly source: string | null;
}

export async function attachmentsOf(around: LinksAround, host: HostRecord): Promise<Attachment[]> {
  const found: Attachment[] = [];
  const passed = new Set([host.id]);
  let frontier: Reached[] = [{ host, path: [], source: null }];
  for (let depth = 0; depth < DEEPEST && frontier.length > 0 && found.length < MOST_ATTACHMENTS; depth++) {
    const links = await around.linksAt(frontier.map((one) => one.host.id));
    const ends = links.flatMap((link) => link.ends.map((end) => end.host_id));
    const runners = frontier.flatMap((one) => runnerOf(one.host) ?? []);
    const hosts = await around.hosts([...new Set([...ends, ...runners])].filter((id) => !passed.has(id)));
    const byId = new Map(hosts.map((one) => [one.id, one]));
    const next: Reached[] = [];
    for (const reached of frontier) {
      const own = links.filter((link) => link.ends.some((end) => end.host_id === reached.host.id));
      const steps = own.flatMap((link) => stepOver(link, reached, byId) ?? []);
      next.push(...steps.filter((step) => isUnmanaged(step.host)));
      const carriers = steps.filter(({ host }) => !isUnmanaged(host) && isCarrier(host, reached.host));
      found.push(...carriers.map(attachmentAt));
      const runner = own.length === 0 ? byId.get(runnerOf(reached.host) ?? "") : undefined;
      if (runner !== undefined) next.push(stepOnto(runner, reached));
    }
    for (const one of next) passed.add(one.host.id);
    frontier = next.slice(0, MOST_ATTACHMENTS);
  }
  return found.slice(0, MOST_ATTACHMENTS);
}

function runnerOf(host: HostRecord): string | null {
  return runnersOf(host).find(({ kind }) => kind === "host")?.id ?? null;
}

function isUnmanaged({ attributes }: HostRecord): boolean {
  return attributes[UNMANAGED] === true;
}

/** Whether hosts hang on it; what is itself a switch hangs on switches and routers only. */
function isCarrier(host: HostRecord, from: HostRecord): boolean {
  const role = roleOfHost(host);
  return CARRIERS.has(role) && (role !== "AccessPoint" || roleOfHost(from) !== "Switch");
}

function stepOver(link: Link, { host, path }: Reached, byId: ReadonlyMap<string, HostRecord>): Reached | null {
  const end = link.ends.find(({ host_id }) => host_id !== host.id);
  const there = byId.get(end?.host_id ?? "");
  if (end === undefined || there === undefined) return null;
  const step = { via: "link" as const, link_id: link.id, ...placeAt(there, end), is_unmanaged: isUnmanaged(there) };
  return { host: there, path: [...path, step], source: link.source.type };
}

function stepOnto(runner: HostRecord, { path, source }: Reached): Reached {
  const at = { host_id: runner.id, name: runner.name, port: null, interface_id: null };
  return {
    host: runner,
    path: [...path, { via: "virtualization", link_id: null, ...at, is_unmanaged: false }],
    source,
  };
}

function placeAt({ id, name }: HostRecord, { port, interface_id }: LinkEnd) {
  return { host_id: id, name, port, interface_id };
}

function attachmentAt({ host, path, source }: Reached): Attachment {
  const { port = null, interface_id = null } = path.at(-1) ?? {};
  const at = { host_id: host.id, name: host.name, port, interface_id };
  return { switch: { ...at, role: roleOfHost(host) }, path: [...path], link_source: source ?? "" };
}
