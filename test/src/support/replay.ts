/**
 * Follows the changes of an organization from the start, and maintains the state; it must equal the lists byte for
 * byte, without sightings, which are not journaled.
 */
import { type Change, forKinds, KIND_NAMES, pluralOf } from "@nts/shared/contract";
import { withoutSightings } from "./without-sightings.js";

export type Row = Readonly<Record<string, unknown>> & { readonly id: string };

/** Sends a read of a caller. @returns data and `meta` */
export type Get = (
  path: string,
) => Promise<{ readonly data: unknown; readonly meta: Readonly<Record<string, unknown>> }>;

export interface Replay {
  /** Reads to the present end. @returns the new entries */
  follow(): Promise<Change[]>;
  /** Applies entries from another source. */
  take(changes: readonly Change[]): void;
  has(id: string): boolean;
  /** Errors of the entries: those that do not continue the state before. */
  readonly faults: readonly string[];
  /** Differences between the state and the lists. */
  differences(): Promise<string[]>;
}

const LISTS = forKinds(KIND_NAMES, pluralOf);

export function startReplay(get: Get, limit = 100): Replay {
  const entities = new Map<string, { readonly entity: string; readonly text: string }>();
  const missed = new Set<string>();
  const cursors = new Set<string>();
  const faults: string[] = [];
  let after: string | undefined;

  function apply(change: Change): void {
    const { cursor, action, entity, entity_id, after: now } = change;
    const about = `${action} ${entity} ${entity_id}`;
    if (cursors.has(cursor)) faults.push(`${about}: came twice`);
    cursors.add(cursor);
    if (action === "missed" || action === "returned") {
      if (missed.has(entity_id) !== (action === "returned")) faults.push(`${about}: it was before`);
      if (action === "missed") missed.add(entity_id);
      else missed.delete(entity_id);
      const others = [change.before, now].map((side) => JSON.stringify(withoutSightings(side)));
      if (others.some((text) => text !== entities.get(entity_id)?.text)) faults.push(`${about}: it changes the entity`);
      return;
    }
    if (action !== "updated") missed.delete(entity_id);
    faults.push(...faultsOf(change, entities.get(entity_id)?.text ?? null).map((fault) => `${about}: ${fault}`));
    if (now === null) entities.delete(entity_id);
    else entities.set(entity_id, { entity, text: JSON.stringify(now) });
  }

  const rowsOf = (entity: string): Row[] =>
    [...entities.values()].filter((one) => one.entity === entity).map(({ text }) => JSON.parse(text) as Row);

  /** Hosts as in lists: with their children, in order. */
  function hosts(): Row[] {
    const on = (entity: string, id: string, ...order: string[]): Row[] =>
      rowsOf(entity)
        .filter((row) => row["host_id"] === id)
        .sort((a, b) => order.map((name) => compare(a[name], b[name])).find((sign) => sign !== 0) ?? 0);
    return rowsOf("Host").map((host) => ({
      ...host,
      interfaces: on("Interface", host.id, "position"),
      ports: on("Port", host.id, "number", "protocol"),
      services: on("Service", host.id, "position"),
    }));
  }

  const take = (changes: readonly Change[]): void => {
    for (const change of changes) apply(change);
  };

  return {
    faults,
    take,
    has: (id) => entities.has(id),
    follow: async () => {
      const came: Change[] = [];
      for (;;) {
        const { data, meta } = await get(
          `/api/v1/changes?limit=${limit}${after === undefined ? "" : `&after=${after}`}`,
        );
        const changes = data as Change[];
        take(changes);
        came.push(...changes);
        after = meta["next"] as string;
        if (changes.length === 0) return came;
      }
    },
    differences: async () => {
      const found: string[] = [];
      for (const [entity, path] of Object.entries(LISTS)) {
        const { data } = await get(`/api/v1/${path}?limit=0`);
        const listed = (data as Row[]).map((row) => withoutSightings(row));
        found.push(...differencesOf(entity, listed, entity === "Host" ? hosts() : rowsOf(entity)));
      }
      return found;
    },
  };
}

/** @param had the text of the entity before the change; null when there was none */
function faultsOf({ action, before, after, fields, reconciled }: Change, had: string | null): string[] {
  const timeOf = (state: Readonly<Record<string, unknown>> | null): string => String(state?.["updated_at"] ?? "");
  const checks: [boolean, string][] = [
    [had !== (before === null ? null : JSON.stringify(before)), "before is not what was held"],
    [(action === "created") !== (had === null), `it was ${had === null ? "not " : ""}there`],
    [(action === "deleted") !== (after === null), `afterwards it is ${JSON.stringify(after)}`],
    [action === "updated" && timeOf(after) <= timeOf(before), "it goes back in time"],
    // Several reconciled changes may have cancelled each other out.
    [action === "updated" && fields.length === 0 && !reconciled, "nothing changed"],
  ];
  return checks.filter(([isWrong]) => isWrong).map(([, fault]) => fault);
}

function differencesOf(entity: string, listed: readonly Row[], entities: readonly Row[]): string[] {
  const textsOf = (rows: readonly Row[]) => new Map(rows.map((row) => [row.id, JSON.stringify(row)]));
  const listedTexts = textsOf(listed);
  const replayedTexts = textsOf(entities);
  return [
    ...[...listedTexts]
      .filter(([id, text]) => replayedTexts.get(id) !== text)
      .map(([id, text]) => `${entity} ${id} is listed as ${text}, and held as ${replayedTexts.get(id) ?? "nothing"}`),
    ...[...replayedTexts.keys()]
      .filter((id) => !listedTexts.has(id))
      .map((id) => `${entity} ${id} is held, and not listed`),
  ];
}

function compare(a: unknown, b: unknown): number {
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}
