/** Values of members, generated from the schemas of the contract, for tests of what every member promises. */
import { type KindName, KINDS, OPERATIONS } from "@nts/shared/contract";
import type { z } from "zod";

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly element?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

/** A valid value that differs from the present one. @param n makes texts distinct @throws Error for a schema that it does not know */
export function anotherValue(schema: z.ZodType, present: unknown, n: number): unknown {
  const { type, innerType, options, entries, element, shape } = schema.def as unknown as Definition;
  if (innerType !== undefined) return anotherValue(innerType, present, n);
  if (options?.[0] !== undefined) return anotherValue(options[0], present, n);
  if (type === "boolean") return present !== true;
  if (type === "number" || type === "int") {
    const { maxValue } = schema as z.ZodNumber;
    return maxValue === null || maxValue > 1_000 + n ? 1_000 + n : present === maxValue ? maxValue - 1 : maxValue;
  }
  if (type === "string") return `another ${n}`;
  if (entries !== undefined) return Object.values(entries).find((one) => one !== present);
  if (element !== undefined) return [anotherValue(element, undefined, n)];
  if (shape === undefined) return { note: `another ${n}` };
  return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, anotherValue(inner, undefined, n)]));
}

/** The members of a body. */
export function membersOf(body: z.ZodType | undefined): [name: string, schema: z.ZodType][] {
  return Object.entries((body as z.ZodObject).shape);
}

/** The least body that creates an entity of a kind. @param places members that say where it is */
export function leastOf(name: KindName, places: object, n = 1): Readonly<Record<string, unknown>> {
  const { singular } = KINDS[name];
  const create = OPERATIONS.find(({ operationId }) => operationId === `create_${singular}`);
  const needed = membersOf(create?.body).filter(([, schema]) => !schema.safeParse(undefined).success);
  return {
    ...Object.fromEntries(needed.map(([member, schema]) => [member, anotherValue(schema, undefined, n)])),
    ...places,
  };
}
