import { type AnyEndpoint, OPERATIONS } from "@nts/shared/contract";
import { z } from "zod";

// The bounds of operations and settings, from their schemas.

interface Bounded {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Bounded>>;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Bounded[];
  readonly properties?: Readonly<Record<string, Bounded>>;
}

/** What bounds a type, or a member of it. */
function boundsIn(type: z.ZodType | undefined, member?: string): Bounded {
  const root = z.toJSONSchema(type ?? z.object({}), { unrepresentable: "any", io: "input" }) as Bounded;
  const resolved = (schema: Bounded): Bounded =>
    schema.$ref === undefined ? schema : (root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {});
  const whole = resolved(root);
  const found = member === undefined ? whole : resolved(whole.properties?.[member] ?? {});
  return found.anyOf?.map(resolved).find((one) => (one.maxItems ?? one.maxLength) !== undefined) ?? found;
}

export function operationOf(operationId: string): AnyEndpoint | undefined {
  return OPERATIONS.find((operation) => operation.operationId === operationId);
}

export function boundsOf(operationId: string, member?: string): Bounded {
  return boundsIn(operationOf(operationId)?.body, member);
}

export function itemsOf(operationId: string, member?: string): number {
  return given(boundsOf(operationId, member).maxItems, `${operationId}.${member ?? ""}`);
}

export function lengthOf(operationId: string, member: string): number {
  return given(boundsOf(operationId, member).maxLength, `${operationId}.${member}`);
}

export function maximumOf(operationId: string, parameter: string): number {
  return given(boundsIn(operationOf(operationId)?.query, parameter).maximum, `${operationId}?${parameter}`);
}

export function settingOf(settings: z.ZodObject, name: string): number {
  return given((settings.shape[name] as z.ZodType).parse(undefined) as number | undefined, name);
}

export function given(value: number | undefined, what: string): number {
  if (value === undefined) throw new Error(`${what} has no limit`);
  return value;
}
