import type { createDocument } from "zod-openapi";

type Document = ReturnType<typeof createDocument>;

/** Minimum number of operations that share a parameter for it to become a component. */
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

/** Replaces shared parameters by references to components. */
export function shareParameters(document: Document): Document {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path as Record<string, Operation>)); // prettier-ignore
  const uses = new Map<string, number>();
  /** Of the first operation with the parameter. */
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
    // Of parameters with the same name, the most used one gets it; others get the tag as a suffix.
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

/** Removes the schema's description if the parameter repeats it. */
function withoutEcho(parameter: Parameter): Parameter {
  const { description, ...schema } = parameter.schema ?? {};
  return description === parameter.description ? { ...parameter, schema } : parameter;
}
