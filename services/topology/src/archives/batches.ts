import { type KindName, KINDS_ON_HOSTS } from "@nts/shared/contract/kinds";
import type { TopLevelKind } from "../kinds/index.js";
import type { ArchivedForms, CheckedLine } from "./forms.js";
import type { HostGroup } from "./plan.js";
import { linesIn } from "./split.js";

// Splits checked lines into batches that are written together: tags, networks, subnets, or hosts with their children.

/** Low because each network and each subnet has sixteen guards. */
const MOST_FEW = 20;
/** Hosts and their children; a host is never split. */
const MOST_ON_HOSTS = 300;
const MOST_BYTES = 2 * 1_048_576;
/** Larger than the limit of the upload, because a checked line also has its line number. */
const LINE_LIMIT = 4 * 1_048_576;

export interface TopLevelItem<K extends TopLevelKind> {
  readonly line: number;
  readonly data: ArchivedForms[K];
}

export type Batch =
  | { readonly [K in TopLevelKind]: { readonly kind: K; readonly items: readonly TopLevelItem<K>[] } }[TopLevelKind]
  | { readonly kind: "Host"; readonly items: readonly HostGroup[] };

interface GrowingHost {
  readonly lines: Map<string, number>;
  readonly interfaces: ArchivedForms["Interface"][];
  readonly ports: ArchivedForms["Port"][];
  readonly services: ArchivedForms["Service"][];
}

const ON_HOSTS: ReadonlySet<KindName> = new Set(KINDS_ON_HOSTS);

/** @param bytes the output of the check */
export async function* batchesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Batch> {
  let growing = createGrowing("Tag");
  for await (const lines of linesIn(bytes, LINE_LIMIT, tooLong))
    for (const text of lines) {
      const line = JSON.parse(Buffer.from(text).toString()) as CheckedLine;
      if (!growing.takes(line)) {
        yield growing.batch();
        growing = createGrowing(kindOf(line));
      }
      growing.add(line, text.length);
    }
  if (!growing.isEmpty()) yield growing.batch();
}

function kindOf({ entity }: CheckedLine): Batch["kind"] {
  return entity === "Host" || ON_HOSTS.has(entity) ? "Host" : (entity as TopLevelKind);
}

/** A batch under construction. */
function createGrowing(kind: Batch["kind"]) {
  const items: unknown[] = [];
  let size = 0;
  let bytes = 0;
  const isFull = (): boolean => size >= (kind === "Host" ? MOST_ON_HOSTS : MOST_FEW) || bytes >= MOST_BYTES;
  return {
    isEmpty: () => items.length === 0,
    takes: (line: CheckedLine) => kindOf(line) === kind && (ON_HOSTS.has(line.entity) || !isFull()),
    add: (line: CheckedLine, length: number) => {
      size += 1;
      bytes += length;
      if (line.entity === "Host")
        items.push({ line: line.line, lines: new Map(), host: line.data, interfaces: [], ports: [], services: [] });
      else if (ON_HOSTS.has(line.entity)) addTo(items.at(-1) as GrowingHost, line);
      else items.push(line);
    },
    batch: () => ({ kind, items }) as Batch,
  };
}

function addTo(host: GrowingHost, { entity, data, line }: CheckedLine): void {
  host.lines.set(data.id, line);
  if (entity === "Interface") host.interfaces.push(data);
  if (entity === "Port") host.ports.push(data);
  if (entity === "Service") host.services.push(data);
}

function tooLong(): never {
  throw new Error("a checked line exceeds the maximum length");
}
