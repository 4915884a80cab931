import { HostCreate, HostRecord, HostUpdate, ObservedOfHost } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { hostLabel } from "../values/host-names.rules.js";
import { markKeysOf } from "../values/marks.rules.js";
import { facetsOf } from "../values/facets.rules.js";
import { naturalKey } from "../values/natural-names.rules.js";
import { runnersOf } from "../values/runners.rules.js";
import { MADE, observedAs, SOURCE } from "./archived.js";
import { formWith } from "./added.rules.js";
import { kind } from "./kind.js";

export const hostKind = kind("Host", {
  schema: HostRecord,
  create: HostCreate,
  update: HostUpdate,
  placed: ["network_id", "interfaces", "ports", "services"],
  defaults: {
    ...{ hostname: null, description: null, hidden: false, is_known: true },
    ...{ virtualization: null, role: null, attributes: {} },
  },
  form: formWith(2, HostRecord, { is_known: true }),
  archived: HostCreate.omit({ interfaces: true, ports: true, services: true }).extend({
    ...observedAs(ObservedOfHost),
    ...MADE,
    ...SOURCE,
  }),
  keysOf: ({ id, name, hostname, attributes, role, observed, tags, virtualization, is_known }) => ({
    name,
    name_key: naturalKey(name),
    hostname,
    host_label: hostLabel(hostname),
    facets: facetsOf({
      attributes,
      role: role ?? observed?.role?.value ?? null,
      vendor: observed?.vendor?.value ?? null,
      runners: runnersOf({ id, virtualization }),
      isKnown: is_known,
    }),
    marks: markKeysOf(observed),
    tags: tags.map(composed),
  }),
});
