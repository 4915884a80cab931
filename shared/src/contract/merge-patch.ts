import { z } from "zod";
import { Tags } from "./common.js";
import { type Endpoint, endpoint } from "./endpoint.js";

// PATCH of whatever PUT replaces, by RFC 7396: members that are named change, all others stay as they are.

/** Tags to add and to remove; concurrent changes of other tags are kept. */
export const TagsChange = z
  .object({ add: Tags.optional(), remove: Tags.optional() })
  .meta({ id: "TagsChange", description: "Tags to take away, and then tags to add." });
export type TagsChange = z.infer<typeof TagsChange>;

type Member<Value> = Value extends readonly unknown[] ? Value : Value extends object ? PatchOfObject<Value> : Value;
type PatchOfObject<Value> = { [Name in keyof Value]?: Value[Name] | null };

/** What a patch may say of a body. */
export type PatchOf<Body> = {
  [Name in keyof Body]?: Name extends "tags" ? Exclude<Body[Name], undefined> | TagsChange : Member<Body[Name]>;
};

const OF_TAGS = z.union([Tags, TagsChange], { error: "must be a list of tags, or an object with `add` and `remove`" });

/** Derives `patch_X` from `update_X`: the same path, level, rules and answer. */
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
    summary: `${put.summary}: only the members that are sent`,
    description: [
      put.description,
      "A JSON Merge Patch (RFC 7396): null clears what may be null, a list replaces the one before, and the rest stays.",
    ]
      .filter((text) => text !== undefined)
      .join(" "),
    body: patchSchemaOf(body).meta({ id: `${z.globalRegistry.get(response)?.id ?? ""}Patch` }) as never,
  });
}

function patchSchemaOf(body: z.ZodObject): z.ZodObject {
  const members = Object.entries(body.shape as Record<string, z.ZodType>).map(([name, type]) => {
    const patched = (name === "tags" ? OF_TAGS : patchedMember(type)).optional();
    const { description } = type;
    return [name, description === undefined ? patched : patched.describe(description)];
  });
  return z.object(Object.fromEntries(members) as z.ZodRawShape);
}

/** The members of an inner object change one by one as well, and null takes one away that need not be there. */
function patchedMember(type: z.ZodType): z.ZodType {
  const bare = withoutDefault(type);
  if (bare instanceof z.ZodNullable) return patchedMember(bare.unwrap() as z.ZodType).nullable();
  return bare instanceof z.ZodObject ? patchedObject(bare) : bare;
}

/** By what they are patches of, since one type has one name. */
const OF_OBJECTS = new Map<z.ZodObject, z.ZodObject>();

function patchedObject(object: z.ZodObject): z.ZodObject {
  const known = OF_OBJECTS.get(object);
  if (known !== undefined) return known;
  const members = Object.entries(object.shape as Record<string, z.ZodType>).map(([name, inner]) => {
    const patched = patchedMember(inner);
    return [name, (inner.safeParse(undefined).success ? patched.nullable() : patched).optional()];
  });
  const made = z.object(Object.fromEntries(members) as z.ZodRawShape);
  const id = z.globalRegistry.get(object)?.id?.replace(/Input$/, "");
  const named = id === undefined ? made : made.meta({ id: `${id}Patch` });
  OF_OBJECTS.set(object, named);
  return named;
}

function withoutDefault(type: z.ZodType): z.ZodType {
  return type instanceof z.ZodOptional || type instanceof z.ZodDefault
    ? withoutDefault(type.unwrap() as z.ZodType)
    : type;
}
