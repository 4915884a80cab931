/** Archives of organizations, as tests take them apart. */
import { createHash } from "node:crypto";
import type { Archived } from "@nts/shared/contract";
import type { Caller } from "./topology.js";

export type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/** A line between the first and the last one. */
export interface EntityLine {
  readonly entity: Archived;
  readonly data: Entity;
}

export interface Archive {
  readonly text: string;
  readonly heading: Readonly<Record<string, unknown>>;
  readonly entities: readonly EntityLine[];
  readonly end: { readonly counts: Readonly<Record<Archived, number>>; readonly sha256: string };
}

export const ARCHIVE_PATH = "/api/v1/organizations/archive";

/** Downloads the archive of a caller. @throws Error when it is refused, or not whole */
export async function archiveOf(caller: Caller): Promise<Archive> {
  const { status, text } = await caller.raw("get", ARCHIVE_PATH);
  if (status !== 200) throw new Error(`the archive was answered with ${status}: ${text.slice(0, 500)}`);
  return parsed(text);
}

export function parsed(text: string): Archive {
  const lines = text.split("\n");
  if (lines.pop() !== "") throw new Error("the last line has no end");
  const [first = "", last = ""] = [lines.shift(), lines.pop()];
  const end = JSON.parse(last) as Archive["end"];
  const sha256 = sumOf(text.slice(0, -last.length - 1));
  if (end.sha256 !== sha256) throw new Error(`the checksum is ${end.sha256} instead of ${sha256}`);
  const entities = lines.map((line) => JSON.parse(line) as EntityLine);
  return { text, heading: JSON.parse(first) as Archive["heading"], entities, end };
}

export function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The entities of a kind. */
export function entitiesIn({ entities }: Pick<Archive, "entities">, kind: Archived): Entity[] {
  return entities.filter(({ entity }) => entity === kind).map(({ data }) => data);
}
