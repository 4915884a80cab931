import { MOST_SIGHTINGS, type Skipped } from "../scan.rules.js";
import { LONGEST_NAME } from "./docker.js";
import { isObject, type JsonObject, listAt, memberOf, objectAt, textAt } from "./json.js";
import { kept } from "./kept.js";
import { faultAt } from "./lines.js";
import { structuredIn } from "./structured.js";
import { clip } from "./texts.js";

// The objects of a cluster, as kubectl prints them: one after another, or in lists.

const COMMAND = "`kubectl get nodes,services,pods -A -o json`";
/** Lists within lists. */
const MOST_DEPTH = 4;

/** An object of a cluster. */
export interface Resource {
  /** Of YAML; in JSON, the number of the object. */
  readonly line: number;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** As people write it, such as `default/web`. */
  readonly title: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly status: JsonObject;
}

/** The objects of a file. @throws AppError `validation_failed` with the place if it has none of a cluster */
export function resourcesIn(bytes: Iterable<Uint8Array>): Resource[] {
  const found: Resource[] = [];
  let documents = 0;
  for (const { line, value, lineOf } of structuredIn(bytes, `import the output of ${COMMAND}`)) {
    documents++;
    for (const { kind, object } of objectsIn(value, "", 0)) {
      const at = lineOf(object) ?? found.length + 1;
      if (found.length === MOST_SIGHTINGS) throw faultAt(line, `an import reads at most ${MOST_SIGHTINGS} objects`);
      found.push(resourceOf(at, kind, object));
    }
    if (!isObject(value) || (memberOf(value, "kind") === undefined && memberOf(value, "items") === undefined))
      throw faultAt(line, `must be objects of Kubernetes: import the output of ${COMMAND}`);
  }
  const [first] = found;
  if (documents === 0 || (first !== undefined && !found.some(({ kind }) => KINDS.has(kind))))
    throw faultAt(first?.line ?? 1, `must have nodes, services or pods: import the output of ${COMMAND}`);
  return found;
}

const KINDS: ReadonlySet<string> = new Set(["Node", "Service", "Pod"]);

/** @param ofList the kind of the items of the list that it is in, which may not say it */
function* objectsIn(value: unknown, ofList: string, depth: number): Generator<{ kind: string; object: JsonObject }> {
  if (!isObject(value) || depth > MOST_DEPTH) return;
  const kind = textAt(value, "kind") || ofList;
  if (!kind.endsWith("List") && !Array.isArray(memberOf(value, "items"))) yield { kind, object: value };
  else for (const item of listAt(value, "items")) yield* objectsIn(item, kind.replace(/List$/, ""), depth + 1);
}

function resourceOf(line: number, kind: string, object: JsonObject): Resource {
  const metadata = objectAt(object, "metadata");
  const name = textAt(metadata, "name");
  const namespace = textAt(metadata, "namespace");
  const title = clip(wholeTitle({ namespace, name }), LONGEST_NAME) ?? "without a name";
  const parts = { metadata, spec: objectAt(object, "spec"), status: objectAt(object, "status") };
  return { line, kind: clip(kind, 60) ?? "", namespace, name, title, ...parts };
}

function wholeTitle({ namespace, name }: Pick<Resource, "namespace" | "name">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Lists that the title of an object is cut, if it is. */
export function listCutTitle(resource: Resource, what: string, skipped: Skipped): void {
  const { line, title } = resource;
  kept(wholeTitle(resource), LONGEST_NAME, { skipped, line, what: `name of ${what} ${title}` });
}

/** Why what has an address of the cluster's own networks is skipped. */
export const INNER = "other machines do not reach addresses inside the cluster";

/** Skips several objects in one line. @param words for one and for several */
export function skipAll(
  skipped: Skipped,
  some: readonly Resource[],
  [one, several]: readonly [one: string, several: string],
  reason: string,
): void {
  const [first] = some;
  if (first === undefined) return;
  const what = some.length === 1 ? `${one} ${first.title}` : `${some.length} ${several}, such as ${first.title}`;
  skipped.add(first.line, what, reason);
}
