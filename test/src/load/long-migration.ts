/** A migration of a build to come, which brings every service to a second form, with the length of its name. */
import type { Service } from "@nts/shared/contract";
import { rewriteOlderForms } from "@nts/shared/mongo/forms";
import type { Migration } from "@nts/shared/mongo/migrations";
import type { EntityDocument } from "@nts/topology/storage/entities";

export const NEXT_FORM = 2;

export const LONG_MIGRATION: Migration = {
  name: "0002-name-lengths",
  up: (db, batches) =>
    rewriteOlderForms(db.collection<EntityDocument>("services"), NEXT_FORM, {
      fieldsOf: ({ wire }) => ({ name_length: nameLengthIn(wire) }),
      unchanged: ({ revision }) => ({ revision }),
      batches,
    }),
};

/** @param wire the JSON of a service */
export function nameLengthIn(wire: string): number {
  return (JSON.parse(wire) as Service).name.length;
}
