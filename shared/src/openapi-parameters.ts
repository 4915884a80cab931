import type { createDocument } from "zod-openapi";

type Document = ReturnType<typeof createDocument>;

/** Parameters that so many operations take are components. */
const SHARED_FROM = 2;

interface Operation {
  readonly tags?: readonly string[];
  parameters?: Parameter[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** The document with parameters that many operations take written once, as components under their names. */
export function shareParameters(document: Document): Document {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path as Record<string, Operation>)); // prettier-ignore
  const uses = new Map<string, number>();
  /** Of the first operation that takes a parameter. */
  const tags = new Map<string, string>();
  for (const { parameters = [], tags: [tag] = [] } of operations)
    for (const parameter of parameters) {
      const text = JSON.stringify(withoutEcho(parameter));
      uses.set(text, (uses.get(text) ?? 0) + 1);
      if (!tags.has(text)) tags.set(text, (tag ?? "").toLowerCase().replaceAll(" ", "_"));
    }
  const components: Record<string, Parameter> = {};
  for (const [text, count] of [...uses].sort(([, a], [, b]) => b - a)) {
    const parameter = JSON.parse(text) as Parameter;
    // Of two that share a name, the one with more uses has it; the other is called after who takes it.
    const name = parameter.name in components ? `${parameter.name}_of_${tags.get(text) ?? ""}` : parameter.name;
    if (count >= SHARED_FROM) components[name] ??= parameter;
  }
  const shared = new Map(Object.entries(components).map(([name, parameter]) => [JSON.stringify(parameter), name]));
  for (const operation of operations)
    if (operation.parameters?.length === 0) delete operation.parameters;
    else if (operation.parameters !== undefined)
      operation.parameters = operation.parameters.map((parameter) => {
        const own = withoutEcho(parameter);
        const name = shared.get(JSON.stringify(own));
        return name === undefined ? own : ({ $ref: `#/components/parameters/${name}` } as unknown as Parameter);
      });
  return { ...document, components: { ...document.components, parameters: components } } as Document;
}

/** A parameter has the description of its schema; twice would be once too often. */
function withoutEcho(parameter: Parameter): Parameter {
  const { description, ...schema } = parameter.schema ?? {};
  return description === parameter.description ? { ...parameter, schema } : parameter;
}
