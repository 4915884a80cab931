import { HostCreate, HostRecord, HostUpdate } from "@nts/shared/contract";
import { composed } from "@nts/shared/contract/folding.rules";
import { hostLabel } from "../values/host-names.rules.js";
import { MADE, SOURCE } from "./archived.js";
import { kind } from "./kind.js";

export const hostKind = kind("Host", {
  schema: HostRecord,
  create: HostCreate,
  update: HostUpdate,
  placed: ["network_id", "interfaces", "ports", "services"],
  defaults: { hostname: null, description: null, hidden: false, virtualization: null },
  archived: HostCreate.omit({ interfaces: true, ports: true, services: true }).extend({ ...MADE, ...SOURCE }),
  keysOf: ({ name, hostname, tags }) => ({ name, hostname, host_label: hostLabel(hostname), tags: tags.map(composed) }),
});
