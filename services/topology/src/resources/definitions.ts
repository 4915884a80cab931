import { listServiceDefinitions, ServiceDefinition } from "@nts/shared/contract";
import { respond, type ListPart } from "@nts/shared/http/respond";
import { mount, type Router } from "@nts/shared/http/mount";
import { keysetOf } from "@nts/shared/mongo/keyset";
import { CATALOGUE } from "../values/definitions/catalogue.js";

type Sort = Readonly<Record<string, 1 | -1>>;

/** A definition with its id for orders and cursors (the name), and its JSON. */
const ENTRIES = CATALOGUE.map(({ name, category, ...rest }) => ({
  ...{ _id: name, name, category },
  text: JSON.stringify(ServiceDefinition.parse({ name, category, ...rest })),
}));
type Entry = (typeof ENTRIES)[number];
type CataloguePosition = Pick<Entry, "_id"> & Partial<Entry>;

/** The catalogue in each requested order; the query allows only a few. */
const ORDERS = new Map<string, readonly Entry[]>();

export function mountDefinitions(router: Router): void {
  mount(router, listServiceDefinitions, ({ scope, query: given }) => {
    const query = { ...given, order_by: given.order_by ?? "name" };
    const { category, limit, offset } = query;
    const { sort, place, cursorAfter } = keysetOf({ name: "ServiceDefinition", ...scope }, query);
    const ordered = orderedBy(sort);
    const matching = category.length === 0 ? ordered : ordered.filter((one) => category.includes(one.category));
    const last =
      place && (Object.fromEntries(Object.keys(sort).map((field, i) => [field, place[i]])) as CataloguePosition);
    const from = last === null ? offset : matching.filter((one) => compare(sort, one, last) <= 0).length;
    const entries = matching.slice(from, limit === 0 ? undefined : from + limit);
    const end = entries.at(-1);
    const isAll = limit === 0 || end === undefined || from + limit >= matching.length;
    return Promise.resolve(
      respond.list(partsOf(entries), {
        ...{ limit, offset },
        total: () => Promise.resolve(matching.length),
        next: () => (isAll ? null : cursorAfter(end)),
      }),
    );
  });
}

function orderedBy(sort: Sort): readonly Entry[] {
  const name = JSON.stringify(sort);
  const known = ORDERS.get(name);
  if (known !== undefined) return known;
  const ordered = ENTRIES.toSorted((a, b) => compare(sort, a, b));
  ORDERS.set(name, ordered);
  return ordered;
}

function compare(sort: Sort, a: CataloguePosition, b: CataloguePosition): number {
  for (const [field, direction] of Object.entries(sort) as [keyof CataloguePosition, 1 | -1][]) {
    const left = a[field] ?? "";
    const right = b[field] ?? "";
    if (left !== right) return left < right ? -direction : direction;
  }
  return 0;
}

// oxlint-disable-next-line typescript/require-await -- it is there already
async function* partsOf(entries: readonly Entry[]): AsyncGenerator<ListPart> {
  yield { text: Buffer.from(entries.map(({ text }) => `,${text}`).join("")), rows: entries.length };
}
