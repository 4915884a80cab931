import { putUnder } from "@nts/shared/groups";
import type { SeenService, Skipped } from "../scan.rules.js";
import { containerService, imageService, LONGEST_IMAGE, LONGEST_NAME, placeOf } from "./docker.js";
import { isObject, type JsonObject, listAt, memberOf, objectAt, textAt } from "./json.js";
import { firstOf, kept, type Written } from "./kept.js";
import type { Nodes } from "./kubernetes-nodes.js";
import { INNER, type Resource, skipAll } from "./kubernetes-resources.js";
import { portNumberIn } from "./machine.js";
import { clip, PROTOCOLS } from "./texts.js";

// Pods: those that others reach at their node, and what services run in them.

/** Pods that are looked at for what a service runs. */
const MOST_LOOKED_AT = 100;
const MOST_CONTAINERS = 100;
const MOST_PORTS = 1_000;

export interface Pods {
  /** What runs behind the ports of a service, by the images of a pod that it selects; a target is a number or a name. */
  behind(service: Resource): (target: unknown) => SeenService;
  /** The address of the only node on which the pods of a service run; null if there are several, any of which will do, or none. */
  onlyNode(service: Resource): string | null;
}

/** Adds the pods that others reach to their nodes. */
export function createPods(pods: readonly Resource[], nodes: Nodes, skipped: Skipped): Pods {
  const byLabel = new Map<string, Resource[]>();
  const inner: Resource[] = [];
  const idle: Resource[] = [];
  for (const pod of pods) {
    for (const [key, value] of Object.entries(objectAt(pod.metadata, "labels")))
      if (typeof value === "string") putUnder(byLabel, `${pod.namespace}\n${key}\n${value}`, pod);
    if (textAt(pod.status, "phase") !== "Running") idle.push(pod);
    else if (!takePod(pod, nodes, skipped)) inner.push(pod);
  }
  skipAll(skipped, idle, ["pod", "pods"], "not running");
  skipAll(skipped, inner, ["pod", "pods"], INNER);
  const imagesOf = createImages();
  const selectedBy = ({ namespace, spec }: Resource): Resource[] => {
    const selected = Object.entries(objectAt(spec, "selector"));
    const [first] = selected;
    const candidates = first === undefined ? [] : (byLabel.get([namespace, ...first].join("\n")) ?? []);
    return candidates
      .slice(0, MOST_LOOKED_AT)
      .filter(({ metadata }) =>
        selected.every(([key, value]) => memberOf(objectAt(metadata, "labels"), key) === value),
      );
  };
  return {
    onlyNode: (service) => {
      const some = selectedBy(service);
      if (some.length === MOST_LOOKED_AT) return null;
      const running = some.filter(({ status }) => textAt(status, "phase") === "Running");
      const [first, ...others] = new Set(running.map(nodes.addressFor));
      return first === undefined || others.length > 0 ? null : first;
    },
    behind: (service) => {
      const { title } = service;
      const [pod] = selectedBy(service);
      return (target) => imageService(title, pod === undefined ? "" : imagesOf(pod, target));
    },
  };
}

/** Finds the image of the container that has a port of a pod, else of its first container. */
function createImages(): (pod: Resource, target: unknown) => string {
  const known = new Map<Resource, ReadonlyMap<unknown, string>>();
  const imagesOf = (pod: Resource): ReadonlyMap<unknown, string> => {
    const entries = containersOf(pod).flatMap((container) =>
      portsOf(container).flatMap((port) =>
        [memberOf(port, "containerPort"), textAt(port, "name")].map((target) => [target, imageOf(container)] as const),
      ),
    );
    // Of several containers with a port, the first counts.
    return new Map(entries.reverse());
  };
  return (pod, target) => {
    const images = known.get(pod) ?? imagesOf(pod);
    known.set(pod, images);
    return images.get(target) ?? imageOf(containersOf(pod)[0]);
  };
}

function containersOf({ spec }: Resource): JsonObject[] {
  return listAt(spec, "containers").slice(0, MOST_CONTAINERS).filter(isObject);
}

function portsOf(container: JsonObject): JsonObject[] {
  return listAt(container, "ports").slice(0, MOST_PORTS).filter(isObject);
}

function imageOf(container: JsonObject | undefined): string {
  return container === undefined ? "" : textAt(container, "image");
}

/** Adds what a pod opens on its node. @returns false if others do not reach it */
function takePod(pod: Resource, nodes: Nodes, skipped: Skipped): boolean {
  const isOnHostNetwork = memberOf(pod.spec, "hostNetwork") === true;
  const containers = containersOf(pod);
  const opened = containers.flatMap((container) =>
    portsOf(container)
      .filter((port) => isOnHostNetwork || memberOf(port, "hostPort") !== undefined)
      .map((port) => ({ container, port })),
  );
  if (!isOnHostNetwork && opened.length === 0) return false;
  const { line, title, spec } = pod;
  const written = (what: string): Written => ({ skipped, line, what: `${what} of pod ${title}` });
  const node = nodes.of(pod);
  if (node === null) {
    skipped.add(line, `pod ${title}`, `its node ${clip(textAt(spec, "nodeName"), 60) ?? ""} is not in the file`);
    return true;
  }
  firstOf(listAt(spec, "containers"), MOST_CONTAINERS, written("containers"));
  for (const container of containers) {
    firstOf(listAt(container, "ports"), MOST_PORTS, written("ports"));
    kept(imageOf(container), LONGEST_IMAGE, written("image"));
  }
  const name = kept(workloadOf(pod), LONGEST_NAME, written("name")) ?? "without a name";
  for (const { container, port } of opened) {
    const reason = openPort(port, imageOf(container));
    if (reason !== null) skipped.add(line, `port ${numberText(port).slice(0, 20)} of pod ${title}`, reason);
  }
  if (opened.length === 0) {
    const service = containerService(name, imageOf(containers[0]), "Kubernetes");
    node.workloads.push({ line, service, isOnHostNetwork });
  }
  return true;

  function openPort(port: JsonObject, image: string): string | null {
    const protocol = PROTOCOLS.get((textAt(port, "protocol") || "tcp").toLowerCase());
    const number = portNumberIn(numberText(port));
    const place = placeOf(textAt(port, "hostIP"));
    if (protocol === undefined) return "only TCP and UDP ports are supported";
    if (number === null) return "it is not a port from 1 to 65535";
    if ("reason" in place) return place.reason;
    if (place.ip !== null && !node?.addresses.some(({ ip }) => ip === place.ip)) return "its node has no such address";
    node?.ports.push({ line, ip: place.ip, protocol, number, service: containerService(name, image, "Kubernetes") });
    return null;
  }
}

/** On the network of its node, a container has no other port there. */
function numberText(port: JsonObject): string {
  const number = memberOf(port, "hostPort") ?? memberOf(port, "containerPort");
  return typeof number === "number" ? String(number) : "";
}

/** What a pod is of, without what is new at each start: `monitoring/node-exporter`. */
function workloadOf({ namespace, name, metadata, spec }: Resource): string {
  const owners = listAt(metadata, "ownerReferences").filter(isObject);
  const owner = owners.find((one) => memberOf(one, "controller") === true) ?? owners[0];
  const hash = textAt(objectAt(metadata, "labels"), "pod-template-hash");
  const node = textAt(spec, "nodeName");
  // The pods of a node itself are called after it.
  const isOfNode = owner !== undefined && textAt(owner, "kind") === "Node";
  const written = owner === undefined || isOfNode ? name : textAt(owner, "name");
  const ending = `-${isOfNode ? node : hash}`;
  const bare = ending.length > 1 && written.endsWith(ending) ? written.slice(0, -ending.length) : written;
  return `${namespace}/${bare}`;
}
