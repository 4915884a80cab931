import { z } from "zod";
import { ATTRIBUTE_KEY, ATTRIBUTE_LIMIT, MOST_ATTRIBUTES } from "./attributes.rules.js";
import { text } from "./common.js";

// Own members that people and programs give to entities. @see docs/api.md "Attributes"

const AttributeValue = z
  .union([text(0, ATTRIBUTE_LIMIT), z.number(), z.boolean()], {
    error: "must be a number, a boolean, or a text of at most 500 characters without control characters",
  })
  .meta({ id: "AttributeValueInput" });
export type AttributeValue = z.infer<typeof AttributeValue>;

const AttributeKey = z
  .string()
  .regex(
    new RegExp(`^${ATTRIBUTE_KEY}$`),
    "must consist of lower-case letters, digits and `_`, begin with a letter, and have at most 50 characters",
  );

/** Own members of an entity, by key. */
export const Attributes = z
  .record(AttributeKey, AttributeValue)
  .refine(
    (attributes) => Object.keys(attributes).length <= MOST_ATTRIBUTES,
    `must have at most ${MOST_ATTRIBUTES} members`,
  )
  .meta({ id: "AttributesInput", maxProperties: MOST_ATTRIBUTES, examples: [{ rack: "A3", height: 2 }] });

/** {@link Attributes} in a response. */
export const AttributesResponse = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]).meta({ id: "AttributeValue" }))
  .meta({ id: "Attributes" });
export type Attributes = z.infer<typeof AttributesResponse>;

/** In a body. */
export const attributes = Attributes.optional().describe("If absent, unchanged; in a patch, null removes a member.");

/** List filter for entities with attributes. */
export const attributeFilter = {
  attribute: z
    .array(
      text(1, 600)
        .regex(new RegExp(`^${ATTRIBUTE_KEY}(?::.*)?$`, "s"), "must be `key` or `key:value`")
        .meta({ pattern: `^${ATTRIBUTE_KEY}(?::[^\\u0000-\\u001f\\u007f-\\u009f]*)?$` }),
    )
    .max(10)
    .default([])
    .describe(
      "Only entities with all of these attributes, as `key` or `key:value`, such as `rack:A3` (a comma in a value is `\\,`).",
    ),
};
