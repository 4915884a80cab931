import { type Change, CHANGE_ACTIONS, KIND_NAMES, type KindName, KINDS } from "@nts/shared/contract";
import { entityName } from "../parts/texts.js";

// What one request did, in a line.

type Entry = Pick<Change, "action" | "entity" | "name">;

/** What happened to entities of some kinds alike, such as: created, the host `nas`, with 1 port and 2 services. */
export interface Doing {
  readonly action: Change["action"];
  /** The kind of what is named or counted first. */
  readonly entity: KindName;
  /** The name, if it is a single one. */
  readonly name: string | null;
  /** Such as `with 1 port and 2 services`, or `3 hosts and 2 ports`. */
  readonly rest: string;
}

/** What a request did, by action. @param entries of it */
export function doingsOf(entries: readonly Entry[]): Doing[] {
  return CHANGE_ACTIONS.flatMap((action): Doing[] => {
    const own = entries.filter((entry) => entry.action === action);
    const kinds = KIND_NAMES.filter((kind) => own.some(({ entity }) => entity === kind));
    const [first] = kinds;
    if (first === undefined) return [];
    const ofFirst = own.filter(({ entity }) => entity === first);
    const countsOf = (some: readonly KindName[]): string =>
      listed(some.map((kind) => countText(kind, own.filter(({ entity }) => entity === kind).length)));
    const [named] = ofFirst;
    if (ofFirst.length > 1 || named === undefined)
      return [{ action, entity: first, name: null, rest: countsOf(kinds) }];
    const others = countsOf(kinds.slice(1));
    return [{ action, entity: first, name: entityName(named), rest: others === "" ? "" : `with ${others}` }];
  });
}

function countText(kind: KindName, count: number): string {
  const { singular, plural } = KINDS[kind];
  return `${count.toLocaleString("en")} ${count === 1 ? singular : plural}`;
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}
