import type { Document } from "mongodb";
import type { Scope } from "@nts/shared/http/tenancy";
import { FIRST_FORM, type Form, inPresentForm, type TextUpgrade, textUpgradeOf } from "@nts/shared/mongo/forms";
import type { Entity, EntityKind, Stored, StoredFields } from "./entities.js";
import { SIGHTING, sightingIn } from "./sightings.rules.js";
import { deletedAmong, withoutDeleted } from "./hidden-tags.rules.js";

/** Reads stored entities in the current form of their kind, without deleted tags. */
export interface EntityReader<T> {
  /** True if entities must be decoded, because they may have deleted tags. */
  readonly losesTags: (scope: Scope) => boolean;
  /** There are older forms, so texts may need an upgrade. */
  readonly hasOlderForms: boolean;
  /** The version of the current form. */
  readonly form: number;
  readonly upgraded: TextUpgrade;
  /** This kind has sightings. */
  readonly isSighted: boolean;
  readonly storedIn: (document: StoredFields, scope: Scope) => Stored<T>;
  /** The revision alone, of a document with the fields of `REVISION`. */
  readonly revisionIn: (document: Document, scope: Scope) => number;
  /** The response JSON of an entity. */
  readonly wireOf: (document: Omit<StoredFields, "revision">, scope: Scope) => string;
}

/** The projection for an entity's revision. */
export const REVISION = { _id: 0, revision: 1, tags: 1 } as const;

/** The projection for an entity. */
export const STORED = { _id: 0, wire: 1, revision: 1, form: 1, ...SIGHTING } as const;

export function createReader<T extends Entity>(
  kind: Pick<EntityKind<T>, "form" | "tagged" | "sighted">,
): EntityReader<T> {
  const form: Form<T> = kind.form ?? FIRST_FORM;
  const losesTags = ({ hidden }: Scope): boolean =>
    kind.tagged === true && hidden !== undefined && hidden.tags.size > 0;
  const isSighted = kind.sighted === true;
  const upgraded = textUpgradeOf(form);
  const storedIn: EntityReader<T>["storedIn"] = (document, scope) => {
    const { wire, revision, form: version } = document;
    const entity = inPresentForm(form, JSON.parse(wire) as T, version);
    const stored = { entity, revision, ...(isSighted && { sighting: sightingIn(document) }) };
    if (!losesTags(scope) || scope.hidden === undefined) return stored;
    return withoutDeleted(stored as Stored<never>, scope.hidden.tags);
  };
  return {
    isSighted,
    losesTags,
    hasOlderForms: form.upgrade !== undefined,
    form: form.version,
    upgraded,
    storedIn,
    revisionIn: ({ revision, tags }, scope) =>
      Number(revision) +
      (losesTags(scope) ? deletedAmong(tags as string[], scope.hidden?.tags ?? new Map()).length : 0),
    wireOf: ({ wire, form: version = 1 }, scope) => {
      if (losesTags(scope)) return JSON.stringify(storedIn({ wire, form: version, revision: 0 }, scope).entity);
      return form.upgrade === undefined || version >= form.version
        ? wire
        : upgraded(Buffer.from(wire), version).toString();
    },
  };
}
