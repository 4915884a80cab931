import { DEEPEST_IMPACT, getHostImpact, getServiceImpact } from "@nts/shared/contract";
import { respond } from "@nts/shared/http/respond";
import { mount, type Router, type UserHandler } from "@nts/shared/http/mount";
import { requireNotAbandoned } from "@nts/shared/work";
import { AppError } from "@nts/shared/errors";
import type { Removing } from "../commit/writer.js";
import { impactOf, surroundingsIn } from "../map/impact.js";
import { pastSource } from "../map/past.js";
import { storedSurroundings, wholeOf } from "../map/surroundings.js";
import type { Past } from "../past/past.js";
import type { Storage } from "../storage/storage.js";
import { hostAt, keyOf, type Place, serviceAt } from "../values/ends.rules.js";

export function mountImpact(router: Router, storage: Storage, past: Past): void {
  mount(router, getServiceImpact, impact(storage, past, serviceAt));
  mount(router, getHostImpact, impact(storage, past, hostAt));
}

function impact(storage: Storage, past: Past, placeOf: (id: string) => Place): UserHandler<typeof getServiceImpact> {
  return async ({ work, scope, principal, params: { id }, query: { as_of: asOf, ...query } }) => {
    const subject = placeOf(id);
    const around =
      asOf === undefined
        ? storedSurroundings(storage, scope)
        : surroundingsIn(
            await wholeOf(
              await pastSource(storage, past, { work, rights: principal.scope, asOf, networkId: undefined }),
              scope.organizationId,
            ),
          );
    const entity = subject.kind === "host" ? storage.hosts.name : storage.services.name;
    if (!(await around.known([subject])).has(keyOf(subject))) throw new AppError("not_found", { entity });
    const check = (): void => {
      requireNotAbandoned(work);
    };
    return respond.json(JSON.stringify(await impactOf(around, { subjects: [subject], check, ...query })));
  };
}

/** Tells the plan of a dry-run deletion what stops with it. */
export async function noteImpact(
  storage: Storage,
  { work, scope, ids }: Pick<Removing, "work" | "scope" | "ids">,
  placeOf: (id: string) => Place,
): Promise<void> {
  if (work.unit?.isDry !== true) return;
  const check = (): void => {
    requireNotAbandoned(work);
  };
  const following = { direction: "dependents", depth: DEEPEST_IMPACT, limit: 0, check } as const;
  const around = storedSurroundings(storage, scope);
  const { counts, complete } = await impactOf(around, { ...following, subjects: ids.map(placeOf) });
  work.unit.impact = { ...counts, complete };
}
