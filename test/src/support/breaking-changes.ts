import fc from "fast-check";

/**
 * Breaking changes of an OpenAPI document for its clients, without failures, since clients must expect any status. Not
 * `oasdiff`: its module is missing on some Go proxies, and it needs Go.
 */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** The default of operations. */
  readonly security?: Operation["security"];
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Reference[];
  readonly requestBody?: Body & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Reference>>;
}
interface Reference {
  readonly $ref?: string;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}
interface Schema extends Reference {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly [limit: string]: unknown;
}

/** The direction of a value: requests may become more permissive, responses stricter. */
type Direction = "request" | "answer";

const UPPER = ["maximum", "maxLength", "maxItems"];
const LOWER = ["minimum", "minLength", "minItems"];

/** Sentences, one for each breaking change from `before` to `after`. */
export function breakingChanges(before: OpenApiDocument, after: OpenApiDocument): string[] {
  const found: string[] = [];
  for (const [path, methods] of Object.entries(before.paths))
    for (const [method, old] of Object.entries(methods)) {
      const now = after.paths[path]?.[method];
      const name = `${method.toUpperCase()} ${path}`;
      if (now === undefined) found.push(`${name} is gone`);
      else found.push(...new Comparison(before, after).ofOperations(old, now).map((change) => `${name}: ${change}`));
    }
  return [...new Set(found)];
}

class Comparison {
  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    /** Visited pairs: schemas may be recursive. */
    private readonly seen = new Set<string>(),
  ) {}

  ofOperations(old: Operation, now: Operation): string[] {
    const credentials = (document: OpenApiDocument, { security = document.security }: Operation): string[] =>
      (security ?? []).map((one) => Object.keys(one).join("+"));
    const enough = credentials(this.after, now);
    return [
      ...credentials(this.before, old)
        .filter((one) => !enough.includes(one))
        .map((one) => `the credential ${one || "none"} is no longer enough`),
      ...this.#ofParameters(old, now),
      ...(now.requestBody?.required === true && old.requestBody?.required !== true ? ["a body is required now"] : []),
      ...this.#ofBodies(old.requestBody, now.requestBody, "request"),
      ...this.#ofBodies(
        resolve<Body>(this.before, old.responses["200"]),
        resolve<Body>(this.after, now.responses["200"]),
        "answer",
      ),
    ];
  }

  #ofParameters(old: Operation, now: Operation): string[] {
    const olds = parametersOf(this.before, old);
    const nows = parametersOf(this.after, now);
    const changes = [...olds].flatMap(([key, parameter]) => {
      const same = nows.get(key);
      return same === undefined ? [`${key} is gone`] : this.#ofSchemas(parameter.schema, same.schema, "request", key);
    });
    const added = [...nows].filter(([key, { required }]) => required === true && olds.get(key)?.required !== true);
    return [...changes, ...added.map(([key]) => `${key} is required now`)];
  }

  #ofBodies(old: Body | undefined, now: Body | undefined, direction: Direction): string[] {
    return Object.entries(old?.content ?? {}).flatMap(([mediaType, { schema }]) => {
      const same = now?.content?.[mediaType];
      const place = `${direction} ${mediaType}`;
      return same === undefined ? [`${place} is gone`] : this.#ofSchemas(schema, same.schema, direction, direction);
    });
  }

  #ofSchemas(oldReference: Schema, nowReference: Schema, direction: Direction, place: string): string[] {
    if (oldReference.$ref !== undefined && nowReference.$ref !== undefined) {
      const pair = `${direction} ${oldReference.$ref} ${nowReference.$ref}`;
      if (this.seen.has(pair)) return [];
      this.seen.add(pair);
    }
    const old = resolve<Schema>(this.before, oldReference);
    const now = resolve<Schema>(this.after, nowReference);
    const olds = alternativesOf(old);
    const nows = alternativesOf(now);
    if (olds !== null || nows !== null) return this.#ofAlternatives(olds ?? [old], nows ?? [now], direction, place);
    return [
      ...ofValues(old, now, direction, place),
      ...(direction === "request" ? ofLimits(old, now, place) : []),
      ...this.#ofMembers(old, now, direction, place),
      ...(old.items && now.items ? this.#ofSchemas(old.items, now.items, direction, `${place}[]`) : []),
    ];
  }

  /** Every possible alternative must be accepted by the other side. */
  #ofAlternatives(olds: readonly Schema[], nows: readonly Schema[], direction: Direction, place: string): string[] {
    const [coming, understood] = direction === "request" ? [olds, nows] : [nows, olds];
    return coming.flatMap((one) => {
      const faults = understood.map((other) => {
        const [old, now] = direction === "request" ? [one, other] : [other, one];
        return new Comparison(this.before, this.after, new Set(this.seen)).#ofSchemas(old, now, direction, place);
      });
      const least = faults.sort((a, b) => a.length - b.length)[0];
      return least ?? [`${place} has nothing left`];
    });
  }

  #ofMembers(old: Schema, now: Schema, direction: Direction, place: string): string[] {
    const changes = Object.entries(old.properties ?? {}).flatMap(([name, schema]) => {
      const same = now.properties?.[name];
      return same === undefined
        ? [`${place}.${name} is gone`]
        : this.#ofSchemas(schema, same, direction, `${place}.${name}`);
    });
    const [must, may] = direction === "request" ? [now, old] : [old, now];
    const lost = (must.required ?? []).filter((name) => !(may.required ?? []).includes(name));
    const present = direction === "request" ? lost : lost.filter((name) => now.properties?.[name] !== undefined);
    const what = direction === "request" ? "is required now" : "may be absent now";
    return [...changes, ...present.map((name) => `${place}.${name} ${what}`)];
  }
}

function ofValues(old: Schema, now: Schema, direction: Direction, place: string): string[] {
  const [coming, understood] = direction === "request" ? [old, now] : [now, old];
  const types = typesOf(coming).filter((type) => !typesOf(understood).includes(type) && typesOf(understood).length > 0);
  if (types.length > 0 || (typesOf(coming).length === 0 && typesOf(understood).length > 0))
    return [`${place} is ${String(now.type)}, was ${String(old.type)}`];
  const values = valuesOf(understood);
  if (values === null) return [];
  const unknown = valuesOf(coming)?.filter((value) => !values.includes(value)) ?? ["any value"];
  return unknown.map((value) => `${place} ${direction === "request" ? "may not be" : "may be"} ${String(value)} now`);
}

function ofLimits(old: Schema, now: Schema, place: string): string[] {
  const narrower = (name: string, isNarrower: (old: number, now: number) => boolean, none: number): string[] => {
    if (now[name] === undefined) return [];
    const was = Number(old[name] ?? impliedBy(old.pattern, name) ?? none);
    const is = Number(now[name]);
    return isNarrower(was, is) ? [`${place}: ${name} is ${is}, was ${was}`] : [];
  };
  return [
    ...UPPER.flatMap((name) => narrower(name, (was, is) => is < was, Infinity)),
    ...LOWER.flatMap((name) => narrower(name, (was, is) => is > was, name === "minimum" ? -Infinity : 0)),
    ...(now.format !== undefined && now.format !== old.format ? [`${place}: another format`] : []),
    ...(now.pattern !== undefined && !matchesAll(now.pattern, old.pattern) ? [`${place}: another pattern`] : []),
  ];
}

/** The limit of the length that a pattern implies, as far as samples tell. */
function impliedBy(pattern: string | undefined, limit: string): number | undefined {
  if (pattern === undefined || !limit.endsWith("Length")) return undefined;
  const lengths = samplesOf(pattern).map((text) => [...text].length);
  return limit === "maxLength" ? Math.max(...lengths) : Math.min(...lengths);
}

/** Whether a pattern matches what another one does, as far as samples tell. */
function matchesAll(pattern: string, other: string | undefined): boolean {
  if (other === undefined || pattern === other) return pattern === other;
  const now = new RegExp(pattern);
  return samplesOf(other).every((text) => now.test(text));
}

/** Texts per pattern. */
const SAMPLES = 200;
const samples = new Map<string, readonly string[]>();

/** Texts that match a pattern, the same each time. */
function samplesOf(pattern: string): readonly string[] {
  const known = samples.get(pattern);
  if (known !== undefined) return known;
  const texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: SAMPLES, seed: 1 });
  samples.set(pattern, texts);
  return texts;
}

function alternativesOf({ anyOf, oneOf }: Schema): readonly Schema[] | null {
  return anyOf ?? oneOf ?? null;
}

function typesOf({ type, enum: values }: Schema): readonly string[] {
  if (type !== undefined) return [type].flat();
  return values === undefined ? [] : [...new Set(values.map((value) => typeof value))];
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  return schema.enum ?? ("const" in schema ? [schema.const] : null);
}

function parametersOf(document: OpenApiDocument, { parameters = [] }: Operation): Map<string, Parameter> {
  const resolved = parameters.map((parameter) => resolve<Parameter>(document, parameter));
  return new Map(resolved.map((parameter) => [`${parameter.in} parameter ${parameter.name}`, parameter]));
}

function resolve<T>(document: OpenApiDocument, value: unknown): T {
  const { $ref } = (value ?? {}) as Reference;
  if ($ref === undefined) return value as T;
  const [, , kind = "", name = ""] = $ref.split("/");
  return resolve<T>(document, document.components[kind]?.[name]);
}
