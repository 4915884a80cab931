import { type GoneEntity, type Plan, SIGHTED_KINDS } from "@nts/shared/contract";

// Grouping of missed entities by host, and their deletion.

/** Groups by host in the given order; a host comes before its children. */
export function byHost(gone: readonly GoneEntity[]): GoneEntity[] {
  const hosts = new Map<string, GoneEntity[]>();
  for (const one of gone) {
    const there = hosts.get(one.host_id);
    if (there === undefined) hosts.set(one.host_id, [one]);
    else there.push(one);
  }
  return [...hosts.values()].flat();
}

/** The deletions for a selection, in order; children of selected hosts are deleted with them. */
export function deletionsOf(
  gone: readonly GoneEntity[],
  chosen: ReadonlySet<string>,
): { readonly entity: GoneEntity["entity"]; readonly ids: readonly string[] }[] {
  const picked = gone.filter(({ id }) => chosen.has(id));
  const hosts = new Set(picked.flatMap(({ entity, id }) => (entity === "Host" ? [id] : [])));
  return [...SIGHTED_KINDS].reverse().flatMap((entity) => {
    const ids = picked.flatMap((one) =>
      one.entity === entity && (entity === "Host" || !hosts.has(one.host_id)) ? [one.id] : [],
    );
    return ids.length === 0 ? [] : [{ entity, ids }];
  });
}

/** Merges plans. */
export function joined(plans: readonly Plan[]): Plan {
  const [first, ...others] = plans;
  if (first === undefined) throw new Error("there is no plan");
  const cascades: Record<string, number> = { ...first.cascades };
  for (const plan of others)
    for (const [kind, count] of Object.entries(plan.cascades)) cascades[kind] = (cascades[kind] ?? 0) + count;
  return { ...first, cascades, changes: plans.flatMap(({ changes }) => changes) };
}
