import type { z } from "zod";
import type { Form } from "@nts/shared/mongo/forms";

/**
 * A form with members that entities of earlier ones do not have.
 *
 * @param schema gives the order of members
 * @param added what earlier entities have, of every form since the first
 */
export function formWith<Schema extends z.ZodObject>(
  version: number,
  schema: Schema,
  added: Partial<z.output<Schema>>,
): Form<z.output<Schema>> {
  const names = Object.keys(schema.shape);
  return {
    version,
    upgrade: (stored) => {
      if (Object.keys(added).every((name) => name in stored)) return stored;
      const whole: Readonly<Record<string, unknown>> = { ...added, ...stored };
      const ordered = names.flatMap((name) => (name in whole ? [[name, whole[name]] as const] : []));
      // A newer build may have stored more.
      return { ...Object.fromEntries(ordered), ...stored };
    },
  };
}
