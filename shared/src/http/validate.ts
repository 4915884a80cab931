import { z } from "zod";
import { UNLESS_STORED } from "../contract/common.js";
import { type Fault, validationFailed } from "../errors.js";
import { faultsOf, MOST_FAULTS } from "./faults.js";

// zod validates all elements before a list's length, and collects errors without limit. So lengths (and the numbers of
// members of records) are checked first, and lists of objects that contain lists element by element until there are enough errors.

/** Shorter lists cannot have enough errors to matter. */
const FEW = 3;

interface ListBounds {
  readonly max: number;
  readonly element: z.core.$ZodType;
  readonly inner: Bounds | null;
}

/** The lists and records in a schema: by member of an object, or the schema itself. */
type Bounds =
  | { readonly list: ListBounds }
  | { readonly mostMembers: number }
  | { readonly members: readonly (readonly [string, Bounds])[] };

/**
 * Creates a validator whose time and memory do not depend on how invalid the value is. It throws `validation_failed`.
 */
export function createValidator<S extends z.ZodType>(schema: S): (value: unknown) => z.output<S> {
  const requireBounds = createBoundsCheck(schema);
  return (value) => {
    requireBounds(value);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw validationFailed(...faultsOf(result.error));
  };
}

/** Validates updates of entities with texts from before a rule. */
export interface UpdateValidator<Body> {
  /** Like {@link createValidator}, without the rules that stored texts may break. */
  read(value: unknown): Body;
  /** Checks these rules for the texts of a body that the current entity does not have. */
  requireNewTexts(body: Body, current: object): void;
}

export function createUpdateValidator<S extends z.ZodType>(schema: S): UpdateValidator<z.output<S>> {
  const requireBounds = createBoundsCheck(schema);
  const errors = new WeakMap<object, z.ZodError>();
  return {
    read: (value) => {
      requireBounds(value);
      const { data, error, ofTexts } = readUnlessStored(schema, value);
      if (error !== null) throw validationFailed(...faultsOf(error));
      if (ofTexts !== null) errors.set(data as object, ofTexts);
      return data;
    },
    requireNewTexts: (body, current) => {
      const error = errors.get(body as object);
      if (error === undefined) return;
      const stored = new Set(textsIn(current));
      const left = error.issues.filter((issue) => !stored.has(textOf(issue) ?? ""));
      if (left.length > 0) throw validationFailed(...faultsOf(new z.ZodError(left)));
    },
  };
}

type Reading<Data> =
  | { readonly data: Data; readonly error: null; readonly ofTexts: z.ZodError | null }
  | { readonly data: null; readonly error: z.ZodError; readonly ofTexts: null };

/** Parses a value. @returns the errors of rules that stored texts may break as `ofTexts`, if there are no others */
export function readUnlessStored<S extends z.ZodType>(schema: S, value: unknown): Reading<z.output<S>> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return { data, error: null, ofTexts: null };
  if (error.issues.some((issue) => textOf(issue) === null)) return { data: null, error, ofTexts: null };
  // `safeParse` returns no data with errors.
  const payload = schema._zod.run({ value, issues: [] }, { async: false }) as z.core.ParsePayload<z.output<S>>;
  return { data: payload.value, error: null, ofTexts: error };
}

/** The text of an error of a rule that stored texts may break; null for other errors. */
function textOf(issue: z.core.$ZodIssue): string | null {
  const text: unknown = issue.code === "custom" ? issue.params?.[UNLESS_STORED] : undefined;
  return typeof text === "string" ? text : null;
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}

function createBoundsCheck(schema: z.ZodType): (value: unknown) => void {
  const bounds = boundsOf(schema);
  return (value) => {
    if (bounds === null) return;
    refuse(lengthFaults(value, bounds));
    refuse(elementFaults(value, bounds));
  };
}

function boundsOf(schema: z.core.$ZodType): Bounds | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return boundsOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return { list: listBoundsOf(schema) };
  if (schema instanceof z.ZodRecord) return recordBoundsOf(schema);
  if (!(schema instanceof z.ZodObject)) return null;
  const members = Object.entries(schema.shape).flatMap(([name, member]) => {
    const bounds = boundsOf(member as z.core.$ZodType);
    return bounds === null ? [] : [[name, bounds] as const];
  });
  return members.length === 0 ? null : { members };
}

function listBoundsOf(schema: z.ZodArray): ListBounds {
  const limits = (schema.def.checks ?? []).map(({ _zod: { def } }) =>
    def.check === "max_length" ? (def as z.core.$ZodCheckMaxLengthDef).maximum : Infinity,
  );
  return { max: Math.min(...limits, Infinity), element: schema.element, inner: boundsOf(schema.element) };
}

/** zod has no limit of its own for records; the document's says it. */
function recordBoundsOf(schema: z.ZodRecord): Bounds | null {
  const mostMembers: unknown = schema.meta()?.["maxProperties"];
  return typeof mostMembers === "number" ? { mostMembers } : null;
}

function lengthFaults(value: unknown, bounds: Bounds): Fault[] {
  const faults: Fault[] = [];
  const visitor: Visitor = {
    onList: (list, items, at) => {
      if (items.length > list.max) faults.push({ path: at, message: `must have at most ${list.max} elements` });
      else if (list.inner !== null)
        for (let i = 0; i < items.length; i++) visitLists(items[i], list.inner, joined(at, i), visitor);
    },
    onRecord: ({ mostMembers }, members, at) => {
      if (Object.keys(members).length > mostMembers)
        faults.push({ path: at, message: `must have at most ${mostMembers} members` });
    },
  };
  visitLists(value, bounds, "", visitor);
  return faults;
}

/** Errors of the elements of long lists; the schema as a whole reports the others. */
function elementFaults(value: unknown, bounds: Bounds): Fault[] {
  const faults: Fault[] = [];
  const onList: OnList = ({ inner, element }, items, at) => {
    if (inner === null || items.length <= FEW) return;
    for (let i = 0; i < items.length && faults.length < MOST_FAULTS; i++) {
      const result = z.safeParse(element, items[i]);
      if (!result.success)
        for (const { path, message } of faultsOf(result.error))
          faults.push({ path: path === "" ? joined(at, i) : `${joined(at, i)}.${path}`, message });
    }
  };
  visitLists(value, bounds, "", { onList });
  return faults.length < MOST_FAULTS ? [] : faults;
}

type OnList = (list: ListBounds, items: readonly unknown[], path: string) => void;

interface Visitor {
  readonly onList: OnList;
  readonly onRecord?: (record: { readonly mostMembers: number }, members: object, path: string) => void;
}

/** Calls back for the lists and records of a value, except nested lists. */
function visitLists(value: unknown, bounds: Bounds, path: string, visitor: Visitor): void {
  if ("list" in bounds) {
    if (Array.isArray(value)) visitor.onList(bounds.list, value, path);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if ("mostMembers" in bounds) visitor.onRecord?.(bounds, value, path);
  else
    for (const [name, inner] of bounds.members)
      visitLists((value as Record<string, unknown>)[name], inner, joined(path, name), visitor);
}

function joined(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw validationFailed(...faults.slice(0, MOST_FAULTS));
}
