import { Service, ServiceCreate, ServiceUpdate, ObservedOfService } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { facetsOf } from "../values/facets.rules.js";
import { categoryOf } from "../values/definitions/categories.rules.js";
import { naturalKey } from "../values/natural-names.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import { searchTextOf } from "../values/search.rules.js";
import { MADE, observedAs, POSITION, SOURCE } from "./archived.js";
import { kind } from "./kind.js";

export const serviceKind = kind("Service", {
  schema: Service,
  create: ServiceCreate,
  update: ServiceUpdate,
  placed: ["network_id", "host_id", "bindings", "position", "source"],
  defaults: { virtualization: null, attributes: {} },
  archived: ServiceCreate.extend({ ...observedAs(ObservedOfService), ...MADE, ...SOURCE, ...POSITION }),
  keysOf: ({ id, host_id, name, position, service_definition, attributes, observed, tags, virtualization }) => ({
    host_id,
    name,
    name_key: naturalKey(name),
    position,
    service_definition,
    category: categoryOf(service_definition),
    facets: facetsOf({
      attributes,
      product: observed?.product?.value ?? null,
      runners: runnersOf({ id, virtualization }),
    }),
    tags: tags.map(composed),
    search: searchTextOf(name, service_definition, productIn(observed)),
  }),
  denormalizedKeys: ["host_name"],
});

/** Product and version, such as `nginx 1.26.0`. */
function productIn(observed: ObservedOfService | null): string | null {
  const parts = [observed?.product?.value ?? "", observed?.version?.value ?? ""];
  return parts.every((part) => part === "") ? null : parts.join(" ").trim();
}
