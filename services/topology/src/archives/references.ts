import { isId } from "@nts/shared/contract";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { forKinds, KIND_NAMES, KINDS } from "@nts/shared/contract/kinds";
import { AppError, type Fault } from "@nts/shared/errors";
import { IN_NETWORK_ALONE } from "../kinds/index.js";
import { MOST_ON_HOST } from "../storage/stores/host-capacity.rules.js";
import { tagKeyOf } from "../kinds/tag.js";
import { reservedIn } from "../values/address-space.js";
import { type Block, parseAddress, parseBlock } from "../values/addresses.js";
import type { ArchivedForms, CheckedLine } from "./forms.js";
import type { IdSet } from "./ids.js";
import type { LineFault } from "./line-faults.js";

// Validates references between lines. An archive is self-contained: every referenced id must be defined on an earlier line, so
// that ids in a file cannot refer to anything outside of it.

interface Above {
  readonly tags: Set<string>;
  readonly tagNames: Set<string>;
  readonly networks: Set<string>;
  /** Numbers of VLANs, with their networks. */
  readonly vids: Set<string>;
  /** The networks of VLANs. */
  readonly vlans: Map<string, string>;
  readonly subnets: Map<string, { readonly networkId: string; readonly block: Block }>;
  host: HostAbove | null;
  /** Those of all kinds. */
  readonly ids: Pick<IdSet, "has">;
}

interface HostAbove {
  readonly id: string;
  readonly network_id: string;
  readonly interfaces: string[];
  readonly ports: string[];
  readonly services: string[];
  /** Keys that must be unique on a host. */
  readonly taken: Set<string>;
}

type Found = Generator<LineFault, void, void>;
type Rules = { readonly [Line in CheckedLine as Line["entity"]]: (above: Above, data: Line["data"]) => Found };

/** Kinds appear in order of reference; children follow their host. */
const RANKS = forKinds(KIND_NAMES, (name) => KIND_NAMES.indexOf(KINDS[name].parent === "Host" ? "Host" : name));

const missing = (path: string): LineFault => ({
  path,
  code: "invalid_reference",
  message: "must be defined on an earlier line",
});
const twice = (path: string): LineFault => ({
  path,
  code: "already_exists",
  message: "is already used on an earlier line",
});
const elsewhere = (path: string): LineFault => ({
  path,
  code: "network_mismatch",
  message: "must be in the same network",
});

/** Creates a validator that takes the lines one by one. */
export function createReferences(ids: Pick<IdSet, "has">): { take(line: CheckedLine): Iterable<LineFault> } {
  const above: Above = {
    tags: new Set(),
    tagNames: new Set(),
    networks: new Set(),
    vids: new Set(),
    vlans: new Map(),
    subnets: new Map(),
    host: null,
    ids,
  };
  let rank = 0;
  return {
    take: function* (line) {
      const own = RANKS[line.entity];
      if (own < rank)
        yield { path: "id", code: "out_of_order", message: `a ${line.entity} must appear earlier in the file` };
      rank = Math.max(rank, own);
      yield* (RULES[line.entity] as (above: Above, data: CheckedLine["data"]) => Found)(above, line.data);
    },
  };
}

const RULES: Rules = {
  ...forKinds(IN_NETWORK_ALONE, () => inNetwork),
  *Tag(above, { id, name }) {
    const key = tagKeyOf(name);
    if (above.tagNames.has(key)) yield twice("name");
    above.tagNames.add(key);
    above.tags.add(id);
  },
  *Network(above, { id, tags }) {
    above.networks.add(id);
    yield* ofTags(above, tags);
  },
  *Vlan(above, data) {
    yield* inNetwork(above, data);
    const key = `${data.network_id} ${data.vid}`;
    if (above.vids.has(key)) yield twice("vid");
    above.vids.add(key);
    above.vlans.set(data.id, data.network_id);
  },
  // Whether its hosts are in its network, and other links have its ends, is checked when it is written.
  *Link(above, data) {
    yield* inNetwork(above, data);
    for (const [n, id] of data.vlan_ids.entries()) yield* inVlan(above, data.network_id, id, `vlan_ids.${n}`);
    for (const [n, { host_id, interface_id }] of data.ends.entries()) {
      if (!above.ids.has(host_id)) yield missing(`ends.${n}.host_id`);
      if (interface_id !== null && !above.ids.has(interface_id)) yield missing(`ends.${n}.interface_id`);
    }
  },
  *Subnet(above, data) {
    yield* ofNetwork(above, data);
    if (typeof data.vlan_id === "string") yield* inVlan(above, data.network_id, data.vlan_id, "vlan_id");
    yield* ofBlock(above, data);
    yield* ofTags(above, data.tags);
  },
  *Dependency(above, data) {
    yield* inNetwork(above, data);
    // That these are hosts, services and ports, and where, is checked when it is written.
    for (const end of ["client", "server"] as const)
      for (const [member, id] of Object.entries(data[end]))
        if (member.endsWith("_id") && id !== null && !above.ids.has(id)) yield missing(`${end}.${member}`);
  },
  *Host(above, data) {
    const { id, network_id } = data;
    above.host = { id, network_id, interfaces: [], ports: [], services: [], taken: new Set() };
    yield* inNetwork(above, data);
  },
  *Interface(above, data) {
    yield* onHost(above, "interfaces", data);
    const subnet = above.subnets.get(data.subnet_id);
    if (subnet === undefined) yield missing("subnet_id");
    else if (subnet.networkId !== data.network_id) yield elsewhere("subnet_id");
    else if (!subnet.block.contains(data.ip_address))
      yield { path: "ip_address", code: "ip_outside_subnet", message: `must be inside ${subnet.block.text}` };
    if (isTaken(above, `${data.subnet_id} ${parseAddress(data.ip_address).key}`)) yield twice("ip_address");
  },
  *Port(above, data) {
    yield* onHost(above, "ports", data);
    if (isTaken(above, `${data.protocol} ${data.number}`)) yield twice("number");
  },
  *Service(above, data) {
    yield* onHost(above, "services", data);
    yield* ofTags(above, data.tags);
    const { foreign, conflicts } = bindingJudge(above.host ?? { ports: [], interfaces: [] })(data.bindings);
    for (const { index } of foreign)
      yield {
        path: `bindings.${index}`,
        code: "binding_cross_host",
        message: "must reference ports and interfaces of the preceding host",
      };
    for (const { index, conflicts_with } of conflicts)
      yield {
        path: `bindings.${index}`,
        code: "binding_conflict",
        message: `conflicts with binding ${conflicts_with}`,
      };
  },
};

interface InNetwork {
  /** null for what belongs to the whole organization. */
  readonly network_id: string | null;
  readonly tags?: readonly string[];
}

/** For kinds without further rules. */
function* inNetwork(above: Above, data: InNetwork): Found {
  yield* ofNetwork(above, data);
  yield* ofTags(above, data.tags ?? []);
}

function* ofNetwork({ networks }: Above, { network_id }: InNetwork): Found {
  if (network_id !== null && !networks.has(network_id)) yield missing("network_id");
}

function* inVlan({ vlans }: Above, networkId: string, id: string, path: string): Found {
  const network = vlans.get(id);
  if (network === undefined) yield missing(path);
  else if (network !== networkId) yield elsewhere(path);
}

function* ofTags({ tags }: Above, named: readonly string[]): Found {
  for (const [n, tag] of named.entries()) if (isId(tag) && !tags.has(tag)) yield missing(`tags.${n}`);
}

function* ofBlock({ subnets }: Above, { id, network_id: networkId, cidr, reserved }: ArchivedForms["Subnet"]): Found {
  try {
    const block = parseBlock(cidr, "cidr");
    reservedIn(cidr, reserved ?? []);
    subnets.set(id, { networkId, block });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.params["errors"] as readonly Fault[];
    for (const { path, message } of faults) yield { path, message, code: "validation_failed" };
  }
}

function* onHost(
  { host }: Above,
  kind: "interfaces" | "ports" | "services",
  { id, host_id, network_id }: { readonly id: string; readonly host_id: string; readonly network_id: string },
): Found {
  if (host === null || host_id !== host.id) {
    yield { path: "host_id", code: "out_of_order", message: "must be the id of the preceding host" };
    return;
  }
  host[kind].push(id);
  if (network_id !== host.network_id) yield elsewhere("network_id");
  if (host[kind].length > MOST_ON_HOST)
    yield { path: "host_id", code: "too_many", message: `a host can have at most ${MOST_ON_HOST} ${kind}` };
}

function isTaken({ host }: Above, key: string): boolean {
  if (host === null) return false;
  const isThere = host.taken.has(key);
  host.taken.add(key);
  return isThere;
}
