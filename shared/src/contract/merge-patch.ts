import { z } from "zod";
import { Tags } from "./common.js";
import { type Endpoint, endpoint } from "./endpoint.js";

// Derives PATCH operations from PUT operations, following RFC 7396.

/** Tags to add and to remove; concurrent changes of other tags are kept. */
export const TagsChange = z
  .object({ add: Tags.optional(), remove: Tags.optional() })
  .meta({ id: "TagsChange", description: "Tags to remove, then tags to add." });
export type TagsChange = z.infer<typeof TagsChange>;

type Member<Value> = Value extends readonly unknown[] ? Value : Value extends object ? PatchOfObject<Value> : Value;
type PatchOfObject<Value> = { [Name in keyof Value]?: Value[Name] | null };

/** The patch of a body. */
export type PatchOf<Body> = {
  [Name in keyof Body]?: Name extends "tags" ? Exclude<Body[Name], undefined> | TagsChange : Member<Body[Name]>;
};

const TagsPatch = z
  .union([Tags, TagsChange], { error: "must be a list of tags, or an object with `add` and `remove`" })
  .meta({ id: "TagsPatch" });

const MERGE_PATCH = "JSON Merge Patch (RFC 7396): null clears a member, a list replaces the previous one.";

/** Derives `patch_X` from `update_X`, with the same path, level, rules and response. */
export function patchOf<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodObject,
  Response extends z.ZodType,
>(
  put: Endpoint<Params, Query, Body, Response>,
): Endpoint<Params, Query, z.ZodType<PatchOf<z.output<Body>>, PatchOf<z.input<Body>>>, Response> {
  const { body, response } = put;
  if (body === undefined) throw new Error(`${put.operationId} has no body to patch`);
  return endpoint({
    ...put,
    operationId: put.operationId.replace(/^update_/, "patch_"),
    method: "patch",
    summary: `${put.summary} partially`,
    description: put.description === undefined ? MERGE_PATCH : `As \`${put.operationId}\`. ${MERGE_PATCH}`,
    body: patchSchemaOf(body).meta({ id: `${z.globalRegistry.get(response)?.id ?? ""}Patch` }) as never,
  });
}

function patchSchemaOf(body: z.ZodObject): z.ZodObject {
  const members = Object.entries(body.shape as Record<string, z.ZodType>).map(([name, type]) => {
    const patched = (name === "tags" ? TagsPatch : patchedMember(type)).optional();
    const { description } = type;
    return [name, description === undefined ? patched : patched.describe(description)];
  });
  return z.object(Object.fromEntries(members) as z.ZodRawShape);
}

/** Nested objects are patched member by member; null removes an optional member. */
function patchedMember(type: z.ZodType): z.ZodType {
  const bare = withoutDefault(type);
  if (bare instanceof z.ZodNullable) return patchedMember(bare.unwrap() as z.ZodType).nullable();
  if (bare instanceof z.ZodRecord) return patchedRecord(bare);
  return bare instanceof z.ZodObject ? patchedObject(bare) : bare;
}

/** Null removes a member; all may be removed while as many are added. */
function patchedRecord(record: z.ZodRecord): z.ZodType {
  return patchedOnce(record, () => {
    const patched = z.record(record.keyType, (record.valueType as z.ZodType).nullable());
    const most = record.meta()?.["maxProperties"];
    return typeof most === "number" ? patched.meta({ maxProperties: 2 * most }) : patched;
  });
}

function patchedObject(object: z.ZodObject): z.ZodType {
  return patchedOnce(object, () => {
    const members = Object.entries(object.shape as Record<string, z.ZodType>).map(([name, inner]) => {
      const patched = patchedMember(inner);
      return [name, (inner.safeParse(undefined).success ? patched.nullable() : patched).optional()];
    });
    return z.object(Object.fromEntries(members) as z.ZodRawShape);
  });
}

/** Patch schemas by their original, because a named schema must be unique. */
const PATCHED = new Map<z.ZodType, z.ZodType>();

function patchedOnce(type: z.ZodType, make: () => z.ZodType): z.ZodType {
  const known = PATCHED.get(type);
  if (known !== undefined) return known;
  const id = z.globalRegistry.get(type)?.id?.replace(/Input$/, "");
  const made = make();
  const named = id === undefined ? made : made.meta({ ...made.meta(), id: `${id}Patch` });
  PATCHED.set(type, named);
  return named;
}

function withoutDefault(type: z.ZodType): z.ZodType {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault
    ? withoutDefault(type.unwrap() as z.ZodType)
    : type;
}
