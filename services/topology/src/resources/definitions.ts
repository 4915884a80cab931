import { listServiceDefinitions } from "@nts/shared/contract";
import { answer } from "@nts/shared/http/answer";
import { mount, type Router } from "@nts/shared/http/mount";
import { sortOf, type Ordering } from "@nts/shared/mongo/order";
import { CATALOGUE, type ServiceDefinition } from "../values/definitions/catalogue.js";

export function mountDefinitions(router: Router): void {
  mount(router, listServiceDefinitions, ({ query }) => {
    const { category, limit, offset } = query;
    const matching = category.length === 0 ? CATALOGUE : CATALOGUE.filter((one) => category.includes(one.category));
    const ordered = [...matching].sort(comparing(query));
    const items = ordered.slice(offset, limit === 0 ? undefined : offset + limit);
    const page = { total: matching.length, limit, offset };
    return Promise.resolve(
      answer.items(
        items.map((one) => ({ ...one, ports: [...one.ports] })),
        page,
      ),
    );
  });
}

/** By the fields of the query, then by name. */
function comparing(query: Ordering): (a: ServiceDefinition, b: ServiceDefinition) => number {
  const order = [...Object.entries(sortOf({ ...query, order_by: query.order_by ?? "name" })), ["name", 1] as const];
  return (a, b) => {
    for (const [field, direction] of order) {
      const [left, right] = [a[field as "name"], b[field as "name"]];
      if (left !== right) return left < right ? -direction : direction;
    }
    return 0;
  };
}
