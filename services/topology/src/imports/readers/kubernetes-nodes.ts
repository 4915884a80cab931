import type { SeenConnection } from "../connections.rules.js";
import type { SaysOfHost } from "../observations.rules.js";
import type { SeenAddress, SeenHost, SeenPort, Skipped, Workload } from "../scan.rules.js";
import { isSynthetic } from "../../values/synthetic-names.rules.js";
import { isObject, listAt, objectAt, textAt } from "./json.js";
import { firstOf, kept, type Written } from "./kept.js";
import type { Resource } from "./kubernetes-resources.js";
import { addressIn, clip, hostnameIn, reasonAgainst } from "./texts.js";

// The hosts of a cluster: its nodes, and addresses of load balancers that no node has.

const ROLE_LABEL = /^node-role\.kubernetes\.io\/(.{1,50})$/;
const MOST_ROLES = 5;
/** Characters that are kept of a system. */
const LONGEST_TEXT = 200;
/** Where the version begins in `Ubuntu 24.04.1 LTS`. */
const VERSION = /^(\D{2,100}?) v?(\d.{0,99})$/;

/** A host of which more is learnt. */
export interface ClusterHost extends SeenHost {
  readonly ports: SeenPort[];
  readonly workloads: Workload[];
  /** Nodes that it needs, for what it publishes. */
  readonly needs: SeenConnection[];
}

export interface Nodes {
  /** All nodes. */
  readonly all: readonly ClusterHost[];
  /** The node on which a pod runs; of one that is not in the file, the pod says the address. */
  of(pod: Resource): ClusterHost | null;
  /** An address of the node on which a pod runs, which may not be in the file; null if that is not said. */
  addressFor(pod: Resource): string | null;
  /** The host with an address: a node, or something that has only this address. */
  at(ip: string, line: number, name: string): ClusterHost;
  hosts(): readonly ClusterHost[];
}

export function createNodes(nodes: readonly Resource[], skipped: Skipped): Nodes {
  const byName = new Map<string, ClusterHost>();
  const byAddress = new Map<string, ClusterHost>();
  const hosts: ClusterHost[] = [];
  const add = (host: ClusterHost): ClusterHost => {
    hosts.push(host);
    for (const { ip } of host.addresses) byAddress.set(ip, host);
    return host;
  };
  for (const node of nodes) {
    const host = hostOf(node, skipped);
    if (host !== null) byName.set(node.name, add(host));
  }
  const known = new Set(nodes.map(({ name }) => name));
  return {
    all: [...hosts],
    of: ({ line, spec, status }) => {
      const name = textAt(spec, "nodeName");
      const ip = addressIn(textAt(status, "hostIP"));
      const host = byName.get(name) ?? byAddress.get(ip ?? "");
      if (host !== undefined || known.has(name) || ip === null || reasonAgainst(ip) !== null) return host ?? null;
      const made = add({ ...emptyHost(line, [{ ip, mac: null }]), hostname: hostnameIn(name) });
      byName.set(name, made);
      return made;
    },
    addressFor: ({ spec, status }) => {
      const ip = addressIn(textAt(status, "hostIP"));
      const node = byName.get(textAt(spec, "nodeName")) ?? byAddress.get(ip ?? "");
      return node?.addresses[0]?.ip ?? (ip === null || reasonAgainst(ip) !== null ? null : ip);
    },
    at: (ip, line, name) => byAddress.get(ip) ?? add({ ...emptyHost(line, [{ ip, mac: null }]), name }),
    hosts: () => hosts,
  };
}

function emptyHost(line: number, addresses: readonly SeenAddress[]): ClusterHost {
  return { line, addresses, hostname: null, vendor: null, ports: [], workloads: [], needs: [] };
}

/** A node; null if it is skipped. */
function hostOf({ line, name, metadata, status }: Resource, skipped: Skipped): ClusterHost | null {
  const skip = (what: string, reason: string): null => {
    skipped.add(line, what, reason);
    return null;
  };
  const what = `node ${clip(name, 60) ?? "without a name"}`;
  const entries = listAt(status, "addresses").filter(isObject);
  const written = (type: RegExp): string[] =>
    entries.filter((entry) => type.test(textAt(entry, "type"))).map((entry) => textAt(entry, "address"));
  const addresses: SeenAddress[] = [];
  for (const text of new Set(written(/^(?:Internal|External)IP$/))) {
    const ip = addressIn(text);
    const reason = ip === null ? "it is not an IP address" : reasonAgainst(ip);
    if (ip !== null && reason === null) addresses.push({ ip, mac: null });
    else skip(`address ${text.slice(0, 50)} of ${what}`, reason ?? "");
  }
  const ready = listAt(status, "conditions")
    .filter(isObject)
    .find((one) => textAt(one, "type") === "Ready");
  if (ready !== undefined && textAt(ready, "status") === "Unknown")
    return skip(what, "it does not report to its cluster");
  if (addresses.length === 0) return skip(what, "it has no address");
  const own = [...written(/^Hostname$/), name].find((text) => addressIn(text) === null) ?? "";
  if (own !== "" && !isSynthetic(own) && hostnameIn(own) === null)
    skip(`name of ${what}`, "it is not a text of 1 to 253 characters");
  const writtenOf = (member: string): Written => ({ skipped, line, what: `${member} of ${what}` });
  const labelled = Object.keys(objectAt(metadata, "labels")).flatMap((label) => ROLE_LABEL.exec(label)?.[1] ?? []);
  const roles = firstOf(labelled, MOST_ROLES, writtenOf("roles"));
  const { says, description } = systemOf(objectAt(status, "nodeInfo"), writtenOf);
  return {
    ...emptyHost(line, addresses),
    hostname: hostnameIn(own),
    vendor: description,
    says,
    attributes: { kubernetes_role: roles.length === 0 ? "worker" : [...roles].sort().join(", ") },
  };
}

/** What a node says of its operating system, and all of it in one text. */
function systemOf(
  info: ReturnType<typeof objectAt>,
  writtenOf: (what: string) => Written,
): { says: SaysOfHost; description: string | null } {
  const image = kept(textAt(info, "osImage"), LONGEST_TEXT, writtenOf("operating system"));
  const [, name = image ?? "", version = null] =
    (image?.startsWith("Windows") ?? true) ? [] : (VERSION.exec(image ?? "") ?? []);
  const kernel = textAt(info, "kernelVersion");
  const kubelet = textAt(info, "kubeletVersion");
  const parts = [
    image ?? "",
    kernel === "" ? "" : `kernel ${kernel}`,
    textAt(info, "architecture"),
    kubelet === "" ? "" : `Kubernetes ${kubelet}`,
    textAt(info, "containerRuntimeVersion"),
  ];
  return {
    says: { os: image === null ? null : { name, version, cpe: null, accuracy: null } },
    description: kept(parts.filter((part) => part !== "").join(", "), LONGEST_TEXT, writtenOf("description")),
  };
}
