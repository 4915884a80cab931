import { putUnder } from "@nts/shared/groups";
import { NOTHING_LEFT_OUT, otherEnd, ownEnd, type SeenPlace } from "../connections.rules.js";
import { MOST_OPEN_PORTS, type Scan, type Skipped } from "../scan.rules.js";
import { isObject, type JsonObject, listAt, memberOf, textAt, objectAt } from "./json.js";
import { firstOf } from "./kept.js";
import { type ClusterHost, createNodes, type Nodes } from "./kubernetes-nodes.js";
import { createPods, type Pods } from "./kubernetes-pods.js";
import { INNER, listCutTitle, type Resource, resourcesIn, skipAll } from "./kubernetes-resources.js";
import { portNumberIn } from "./machine.js";
import type { Reader } from "./reader.js";
import { createSightings } from "./sightings.js";
import { addressIn, clip, PROTOCOLS, reasonAgainst, toolInfo } from "./texts.js";

// `kubectl get nodes,services,pods -A -o json` or `-o yaml`. Of a cluster, other machines reach its nodes, the ports that services of
// the types NodePort and LoadBalancer open, and pods on the network of their node or with a port of it (`hostPort`). All else has
// addresses that mean something inside the cluster only.

const MOST_ADDRESSES = 100;
const MOST_PORTS = 1_000;
/** Of a host. */
const MOST_NEEDS = 1_000;

export const kubernetes: Reader = { format: "kubernetes", looksLike, read: readCluster };

function looksLike(beginning: string): boolean {
  if (beginning.startsWith("{")) return /^\{\s*"(?:apiVersion|kind|items)"\s*:/.test(beginning);
  const written = beginning.split("\n", 100).find((line) => !/^(?:---)?\s*(?:#.*)?$/.test(line)) ?? "";
  return /^(?:apiVersion|kind|items):/.test(written);
}

interface Cluster {
  readonly nodes: Nodes;
  readonly pods: Pods;
  readonly skipped: Skipped;
}

function readCluster(bytes: Iterable<Uint8Array>): Scan {
  const sightings = createSightings();
  const { skipped } = sightings;
  const byKind = new Map<string, Resource[]>();
  for (const resource of resourcesIn(bytes)) putUnder(byKind, resource.kind, resource);
  const nodes = createNodes(byKind.get("Node") ?? [], skipped);
  const pods = createPods(byKind.get("Pod") ?? [], nodes, skipped);
  takeServices(byKind.get("Service") ?? [], { nodes, pods, skipped });
  for (const [kind, others] of byKind)
    if (!["Node", "Pod", "Service"].includes(kind))
      skipAll(
        skipped,
        others,
        [`object of the kind ${kind}`, `objects of the kind ${kind}`],
        "only nodes, services and pods are read",
      );
  for (const { needs, ...host } of nodes.hosts()) {
    const connections = { list: needs, areAll: false, notMade: NOTHING_LEFT_OUT };
    sightings.add({ ...host, ...(needs.length > 0 && { connections }) }, `host ${host.name ?? host.hostname ?? ""}`);
  }
  return sightings.scan(toolInfo("Kubernetes"));
}

function takeServices(services: readonly Resource[], cluster: Cluster): void {
  const { nodes, skipped } = cluster;
  const inner = new Map<string, Resource[]>();
  const open: Resource[] = [];
  for (const service of services) {
    const type = textAt(service.spec, "type") || "ClusterIP";
    const isOpen = type === "NodePort" || type === "LoadBalancer" || listAt(service.spec, "externalIPs").length > 0;
    if (isOpen) open.push(service);
    else putUnder(inner, clip(type, 60) ?? "", service);
  }
  for (const [type, some] of inner) {
    const reason = type === "ExternalName" ? "it is a name of something outside the cluster" : INNER;
    skipAll(skipped, some, [`service of the type ${type}`, `services of the type ${type}`], reason);
  }
  const nodePorts = open.flatMap((service) => portsOf(service).filter((port) => numberAt(port, "nodePort") !== null));
  const isTooMuch = nodePorts.length * nodes.all.length > MOST_OPEN_PORTS / 2;
  if (isTooMuch)
    skipAll(skipped, open, ["service", "services"], `their ports on all nodes are more than ${MOST_OPEN_PORTS / 2}`);
  for (const service of open) {
    const { line, title } = service;
    listCutTitle(service, "service", skipped);
    firstOf(listAt(service.spec, "ports"), MOST_PORTS, { skipped, line, what: `ports of service ${title}` });
    if (!isTooMuch) takeNodePorts(service, cluster);
    takeBalancer(service, cluster);
  }
}

function portsOf({ spec }: Resource): JsonObject[] {
  return listAt(spec, "ports").slice(0, MOST_PORTS).filter(isObject);
}

function numberAt(port: JsonObject, name: string): number | null {
  const value = memberOf(port, name);
  return typeof value === "number" ? portNumberIn(String(value)) : null;
}

/** Opens the ports of a service that all nodes have. */
function takeNodePorts(service: Resource, { nodes, pods, skipped }: Cluster): void {
  const { line, title } = service;
  const behind = pods.behind(service);
  const needed = pods.onlyNode(service);
  for (const port of portsOf(service)) {
    const number = numberAt(port, "nodePort");
    if (number === null) continue;
    const protocol = PROTOCOLS.get((textAt(port, "protocol") || "tcp").toLowerCase());
    if (protocol === undefined)
      skipped.add(line, `port ${number} of service ${title}`, "only TCP and UDP ports are supported");
    else if (nodes.all.length === 0)
      skipped.add(line, `port ${number} of service ${title}`, "the file has no nodes, which open it");
    else {
      const seen = behind(memberOf(port, "targetPort"));
      for (const node of nodes.all) {
        node.ports.push({ line, ip: null, protocol, number, service: seen });
        needNode(node, needed, { line, protocol, number });
      }
    }
  }
}

/** Opens the ports of a service at the addresses of its load balancer, and at those that people gave it. */
function takeBalancer(service: Resource, { nodes, pods, skipped }: Cluster): void {
  const { line, title, spec, status } = service;
  const entries = listAt(objectAt(status, "loadBalancer"), "ingress").filter(isObject);
  const given = listAt(spec, "externalIPs").filter((one) => typeof one === "string");
  const written = [...entries.map((entry) => textAt(entry, "ip") || textAt(entry, "hostname")), ...given];
  if (textAt(spec, "type") === "LoadBalancer" && written.length === 0)
    skipped.add(line, `load balancer of service ${title}`, "it has no address yet");
  const behind = pods.behind(service);
  const needed = pods.onlyNode(service);
  const addresses = firstOf([...new Set(written)], MOST_ADDRESSES, {
    skipped,
    line,
    what: `addresses of service ${title}`,
  });
  for (const text of addresses) {
    const ip = addressIn(text);
    const reason = ip === null ? "it is not an IP address" : reasonAgainst(ip);
    if (ip === null || reason !== null) {
      skipped.add(line, `address ${text.slice(0, 60)} of service ${title}`, reason ?? "");
      continue;
    }
    const host = nodes.at(ip, line, title);
    for (const port of portsOf(service)) {
      const number = numberAt(port, "port");
      const protocol = PROTOCOLS.get((textAt(port, "protocol") || "tcp").toLowerCase());
      if (number === null || protocol === undefined)
        skipped.add(
          line,
          `port ${String(number)} of service ${title}`,
          "only TCP and UDP ports from 1 to 65535 are supported",
        );
      else {
        host.ports.push({ line, ip, protocol, number, service: behind(memberOf(port, "targetPort")) });
        needNode(host, needed, { line, protocol, number });
      }
    }
  }
}

/** What a host publishes needs the node that runs it, if only one does, and it is another one. @param ip of that node */
function needNode(host: ClusterHost, ip: string | null, { line, ...port }: { line: number } & SeenPlace): void {
  if (ip === null || host.addresses.some((one) => one.ip === ip) || host.needs.length === MOST_NEEDS) return;
  host.needs.push({ line, client: ownEnd({ port }), server: otherEnd(ip) });
}
