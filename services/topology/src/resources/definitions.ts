import { listServiceDefinitions } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { keysetOf } from "@nts/shared/mongo/keyset";
import { sortOf, type Ordering } from "@nts/shared/mongo/order";
import { CATALOGUE, type ServiceDefinition } from "../values/definitions/catalogue.js";

export function mountDefinitions(router: Router): void {
  mount(router, listServiceDefinitions, ({ scope, query: given }) => {
    const query = { ...given, order_by: given.order_by ?? "name" };
    const { category, limit, offset } = query;
    const matching = category.length === 0 ? CATALOGUE : CATALOGUE.filter((one) => category.includes(one.category));
    const compare = comparing(query);
    const ordered = [...matching].sort(compare);
    const { sort, place, cursorAfter } = keysetOf({ name: "ServiceDefinition", ...scope }, query);
    const last = place && Object.fromEntries(Object.keys(sort).map((field, i) => [field, place[i]]));
    const from = last === null ? offset : ordered.filter((one) => compare(one, asDefinition(last)) <= 0).length;
    const items = ordered.slice(from, limit === 0 ? undefined : from + limit);
    const end = items.at(-1);
    const isAll = limit === 0 || end === undefined || from + limit >= ordered.length;
    const next = isAll ? null : cursorAfter({ ...end, _id: end.name });
    return Promise.resolve(
      answer.items(
        items.map((one) => ({ ...one, ports: [...one.ports] })),
        { total: matching.length, limit, offset, next },
      ),
    );
  });
}

/** What a cursor names: its id is the name. */
function asDefinition(last: Readonly<Record<string, unknown>>): ServiceDefinition {
  const { _id: name, ...rest } = last;
  return { ...rest, name } as unknown as ServiceDefinition;
}

/** By the fields of the query, then by name. */
function comparing(query: Ordering): (a: ServiceDefinition, b: ServiceDefinition) => number {
  const order = [...Object.entries(sortOf(query)), ["name", 1] as const];
  return (a, b) => {
    for (const [field, direction] of order) {
      const [left, right] = [a[field as "name"], b[field as "name"]];
      if (left !== right) return left < right ? -direction : direction;
    }
    return 0;
  };
}
