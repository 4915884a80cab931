import { z } from "zod";
import { Id, text } from "@nts/shared/contract";

// Members that the server sets, as lines of archives have them in addition to those of a creation.

export const MADE = {
  id: Id,
  created_at: z.iso.datetime({ offset: true }).overwrite((time) => new Date(time).toISOString()),
};
export const SOURCE = { source: z.object({ type: text(1, 50) }) };
export const POSITION = { position: z.int32().min(0) };

/** Archives may leave it out. */
export function observedAs<Said extends z.ZodObject>(said: Said): { observed: z.ZodOptional<z.ZodNullable<Said>> } {
  return { observed: said.nullable().optional() };
}
