import type { z } from "zod";

// What the schemas of the contract say about names and values, for command lines and files.

export type Schema = z.core.$ZodType;

interface Definition {
  readonly type: string;
  readonly format?: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly element?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly entries?: Readonly<Record<string, string>>;
}

function definitionOf(schema: Schema): Definition {
  return schema._zod.def;
}

/** The forms that a value may have, without what makes it optional. */
export function formsOf(schema: Schema): Schema[] {
  const { innerType, in: input, options } = definitionOf(schema);
  if (innerType !== undefined) return formsOf(innerType);
  if (input !== undefined) return formsOf(input);
  return options === undefined ? [schema] : options.flatMap(formsOf);
}

/** The schemas of each member of objects that have one of these forms; null if there is no such object. */
export function membersOf(forms: readonly Schema[]): ReadonlyMap<string, readonly Schema[]> | null {
  const shapes = forms.map((form) => definitionOf(form).shape).filter((shape) => shape !== undefined);
  if (shapes.length === 0) return null;
  const members = new Map<string, Schema[]>();
  for (const shape of shapes)
    for (const [name, schema] of Object.entries(shape)) members.set(name, [...(members.get(name) ?? []), schema]);
  return members;
}

/** The schemas of the elements of lists that have one of these forms. */
export function elementsOf(forms: readonly Schema[]): Schema[] {
  return forms.flatMap((form) => definitionOf(form).element ?? []);
}

/** Whether a value may be a list. */
export function isList(schema: Schema): boolean {
  return formsOf(schema).some((form) => definitionOf(form).type === "array");
}

/** Whether a value can only be text. */
export function isText(forms: readonly Schema[]): boolean {
  return forms.length > 0 && forms.every((form) => definitionOf(form).type === "string");
}

/** The values among which a choice is made; null if there is no such choice. */
export function choicesIn(forms: readonly Schema[]): readonly string[] | null {
  const choices = forms.map((form) => definitionOf(form).entries);
  return choices.length === 0 || choices.includes(undefined)
    ? null
    : choices.flatMap((entries) => Object.values(entries ?? {}));
}

/** Whether it is a moment: a time, or a position in the journal. */
export function isMoment(schema: Schema): boolean {
  return formsOf(schema).some(
    (form) => definitionOf(form).format === "datetime" || (form as z.ZodType).meta()?.["format"] === "moment",
  );
}
