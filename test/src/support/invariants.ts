/**
 * Checks the whole topology database in one snapshot: redundant fields, references, binding rules, positions and
 * counts. It may run under load.
 */
import { isDeepStrictEqual } from "node:util";
import type { ClientSession, Db } from "mongodb";
import {
  isId,
  type Binding,
  type HostRecord,
  type Interface,
  KIND_NAMES,
  type KindName,
  KINDS,
  KINDS_IN_NETWORKS,
  KINDS_ON_HOSTS,
  type Link,
  pluralOf,
  type Service,
  type Subnet,
} from "@nts/shared/contract";
import { parseBlock } from "@nts/topology/values/addresses";
import { hostSearchFields } from "@nts/topology/storage/stores/host-search";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { ALL_COLLECTIONS, type Collection, GUARDED, TAGGED } from "@nts/topology/kinds/index";
import { resolveBindings } from "@nts/topology/hosts/bindings.rules";
import type { EntityDocument } from "@nts/topology/storage/entities";
import type { DeletionDocument } from "@nts/topology/storage/deletion-records";
import { COUNTED, type GuardDocument } from "@nts/topology/storage/guards";
import { createStorage } from "@nts/topology/storage/storage";

type Document = EntityDocument;
type Kind = Collection;
const GUARDS_PER_TARGET = 16;

interface Contents {
  readonly entities: Readonly<Record<Kind, readonly Document[]>>;
  readonly guards: readonly GuardDocument[];
  /** Still stored on entities. */
  readonly hiddenTags: ReadonlySet<unknown>;
}

/** All violations, a sentence each; empty when the database is consistent. */
export async function violationsIn(db: Db): Promise<string[]> {
  const contents = await db.client.withSession((session) =>
    session.withTransaction(() => read(db, session), { readConcern: { level: "snapshot" } }),
  );
  return [
    ...storedTwice(db, contents),
    ...danglingIn(contents),
    ...positionsIn(contents),
    ...inventoriesIn(contents),
    ...searchTextsIn(contents),
    ...bindingsIn(contents),
    ...guardsIn(contents),
  ];
}

async function read(db: Db, session: ClientSession): Promise<Contents> {
  const entities = {} as Record<Kind, Document[]>;
  const deletions = await db.collection<DeletionDocument>("deletions").find({}, { session }).toArray();
  const goneOf = (gone: DeletionDocument["kind"]): Set<unknown> =>
    new Set(deletions.flatMap(({ kind, ids = [] }) => (kind === gone ? ids : [])));
  const hosts = goneOf("hosts");
  const tags = goneOf("tags");
  for (const kind of ALL_COLLECTIONS) {
    const found = await db.collection<Document>(kind).find({}, { session }).toArray();
    // Hidden entities do not exist for callers.
    entities[kind] = found.filter((one) => ![one["host_id"]].flat().some((id) => hosts.has(id)));
  }
  const guards = await db.collection<GuardDocument>("guards").find({}, { session }).toArray();
  return { entities, guards, hiddenTags: tags };
}

function entityOf<T>(document: Document): T {
  return JSON.parse(document.wire) as T;
}

const byId = (documents: readonly Document[]): Map<string, Document> => new Map(documents.map((one) => [one._id, one]));

/** Indexed fields match the entity's text. */
function storedTwice(db: Db, { entities }: Contents): string[] {
  const stores = createStorage(db, () => Promise.reject(new Error("the checker writes nothing")));
  const hosts = byId(entities.hosts);
  return ALL_COLLECTIONS.flatMap((kind) =>
    entities[kind].flatMap((document) => {
      const stored = { entity: entityOf<never>(document), revision: document.revision };
      const derived = stores[kind].documentOf(document.organization_id, stored);
      const wrong = Object.entries(derived).filter(([field, value]) => !isDeepStrictEqual(value, document[field]));
      const hostName = hosts.get(String(document["host_id"]))?.["name"];
      const isMisnamed = kind === "services" && document["host_name"] !== hostName;
      const fields = [...wrong.map(([field]) => field), ...(isMisnamed ? ["host_name"] : [])];
      return fields.map((field) => `${kind} ${document._id}: ${field} is not what the entity says`);
    }),
  );
}

/** The kinds that a member refers to, with its name. */
function referencesOf(name: KindName): (readonly [Kind, string])[] {
  const { refersTo, mayReferTo } = KINDS[name];
  return [...refersTo, ...mayReferTo].map((other) => [pluralOf(other), `${KINDS[other].singular}_id`]);
}

/** References exist, in the same organization and network. */
function danglingIn({ entities, hiddenTags }: Contents): string[] {
  const parents: readonly (readonly [Kind, Kind, string])[] = [
    ...[...KINDS_IN_NETWORKS.map(pluralOf), "bindings" as const].map(
      (kind) => [kind, "networks", "network_id"] as const,
    ),
    ...[...KINDS_ON_HOSTS.map(pluralOf), "bindings" as const].map((kind) => [kind, "hosts", "host_id"] as const),
    ...KIND_NAMES.flatMap((name) => referencesOf(name).map((one) => [pluralOf(name), ...one] as const)),
    ["bindings", "services", "service_id"],
  ];
  const dangling = parents.flatMap(([kind, parentKind, field]) => {
    const targets = byId(entities[parentKind]);
    const referring = entities[kind].filter((document) => document[field] !== null);
    return referring.flatMap((document) => {
      const target = targets.get(String(document[field]));
      if (target === undefined) return [`${kind} ${document._id}: ${field} points at nothing`];
      const agrees = target.organization_id === document.organization_id && target.network_id === document.network_id;
      return agrees ? [] : [`${kind} ${document._id}: ${field} is of another network`];
    });
  });
  const subnets = byId(entities.subnets);
  const outside = entities.interfaces.flatMap((document) => {
    const subnet = subnets.get(String(document["subnet_id"]));
    const { ip_address } = entityOf<Interface>(document);
    const isInside = subnet === undefined || parseBlock(entityOf<Subnet>(subnet).cidr, "").contains(ip_address);
    return isInside ? [] : [`interfaces ${document._id}: ${ip_address} is outside of its subnet`];
  });
  const unlinked = entities.links.flatMap((document) => {
    const { ends, network_id, vlan_ids } = entityOf<Link>(document);
    const isHere = (kind: "hosts" | "vlans", id: string): boolean =>
      entities[kind].some((one) => one._id === id && one.network_id === network_id);
    const isOn = (hostId: string, id: string | null): boolean =>
      id === null || entities.interfaces.some((one) => one._id === id && one["host_id"] === hostId);
    return [
      ...ends.flatMap(({ host_id, interface_id }) =>
        isHere("hosts", host_id) && isOn(host_id, interface_id) ? [] : [`links ${document._id}: an end is not there`],
      ),
      ...vlan_ids.flatMap((id) => (isHere("vlans", id) ? [] : [`links ${document._id}: a VLAN is not there`])),
    ];
  });
  const tags = byId(entities.tags);
  const untagged = TAGGED.flatMap((kind) =>
    entities[kind].flatMap((document) =>
      (document["tags"] as string[])
        .filter((tag) => isId(tag) && !tags.has(tag) && !hiddenTags.has(tag))
        .map((tag) => `${kind} ${document._id}: tag ${tag} is not there`),
    ),
  );
  return [...dangling, ...outside, ...unlinked, ...untagged];
}

function onHosts(documents: readonly Document[]): Map<string, Document[]> {
  const groups = new Map<string, Document[]>();
  for (const document of documents) {
    const host = String(document["host_id"]);
    groups.set(host, [...(groups.get(host) ?? []), document]);
  }
  return groups;
}

/** Positions of interfaces and of services are 0, 1, 2, … on each host. */
function positionsIn({ entities }: Contents): string[] {
  return (["interfaces", "services"] as const).flatMap((kind) =>
    [...onHosts(entities[kind])].flatMap(([host, documents]) => {
      const positions = documents.map(({ position }) => Number(position)).sort((a, b) => a - b);
      const isDense = positions.every((position, index) => position === index);
      return isDense ? [] : [`hosts ${host}: positions of ${kind} are ${positions.join(", ")}`];
    }),
  );
}

/** The inventory of a host matches its children. */
function inventoriesIn({ entities }: Contents): string[] {
  const [interfaces, ports, services] = [entities.interfaces, entities.ports, entities.services].map(onHosts);
  return entities.hosts.flatMap((host) => {
    const idsOf = (groups: Map<string, Document[]> | undefined): string[] =>
      (groups?.get(host._id) ?? []).map(({ _id }) => _id).sort();
    const real = { interfaces: idsOf(interfaces), ports: idsOf(ports), services: idsOf(services).length };
    const kept = host["inventory"] as typeof real;
    const sorted = { interfaces: [...kept.interfaces].sort(), ports: [...kept.ports].sort(), services: kept.services };
    return isDeepStrictEqual(sorted, real) ? [] : [`hosts ${host._id}: the inventory is not what stands on it`];
  });
}

/** Search texts of hosts contain their names and the addresses of their interfaces, and nothing else; the lowest of these orders them. */
function searchTextsIn({ entities }: Contents): string[] {
  const interfaces = onHosts(entities.interfaces);
  const lines = (text: unknown): string[] => String(text).split("\n").sort();
  return entities.hosts.flatMap((host) => {
    const on = (interfaces.get(host._id) ?? []).map((one) => entityOf<Interface>(one));
    const real = hostSearchFields(entityOf<HostRecord>(host), on);
    return [
      ...(isDeepStrictEqual(lines(host["search"]), lines(real.search))
        ? []
        : [`hosts ${host._id}: searches look in another text`]),
      ...(isDeepStrictEqual([...(host["address_keys"] as string[])].sort(), [...real.address_keys].sort())
        ? []
        : [`hosts ${host._id}: is found by other addresses`]),
      ...(host["first_address"] === real.first_address ? [] : [`hosts ${host._id}: is ordered by another address`]),
    ];
  });
}

/** Bindings obey the rules, and are the same in their own collection. */
function bindingsIn({ entities }: Contents): string[] {
  const [interfaces, ports] = [entities.interfaces, entities.ports].map(onHosts);
  const listed = byId(entities.bindings);
  let inServices = 0;
  const wrong = entities.services.flatMap((document) => {
    const { host_id, bindings } = entityOf<Service>(document);
    inServices += bindings.length;
    const idsOf = (groups: Map<string, Document[]> | undefined): string[] =>
      (groups?.get(host_id) ?? []).map(({ _id }) => _id);
    const differing = bindings.filter((binding) => !isListed(binding, listed.get(binding.id)));
    return [
      ...ruleBrokenBy(bindings, { ports: idsOf(ports), interfaces: idsOf(interfaces) }).map(
        (rule) => `services ${document._id}: ${rule}`,
      ),
      ...differing.map(({ id }) => `bindings ${id}: differs from its service`),
    ];
  });
  return inServices === entities.bindings.length
    ? wrong
    : [...wrong, `${entities.bindings.length} bindings are listed, ${inServices} in services`];
}

function isListed(binding: Binding, document: Document | undefined): boolean {
  return document !== undefined && isDeepStrictEqual(entityOf<Binding>(document), binding);
}

function ruleBrokenBy(bindings: readonly Binding[], host: { ports: string[]; interfaces: string[] }): string[] {
  try {
    const kept = resolveBindings(bindings, bindingJudge(host));
    return kept.length === bindings.length ? [] : ["a binding is superfluous"];
  } catch (error) {
    return [(error as { code: string }).code];
  }
}

/** Networks, tags and what others refer to have their guards, nothing else has, and the counts of networks are correct. */
function guardsIn({ entities, guards }: Contents): string[] {
  const kinds = ["networks", "tags", ...GUARDED.map(pluralOf)] as const;
  const targets = kinds.flatMap((kind) => entities[kind]);
  const known = byId(targets);
  const guardCounts = new Map<string, number>();
  for (const { target } of guards) guardCounts.set(target, (guardCounts.get(target) ?? 0) + 1);
  const incomplete = targets.filter((one) => guardCounts.get(one._id) !== GUARDS_PER_TARGET);
  const orphaned = [...guardCounts.keys()].filter((target) => !known.has(target));
  const miscounted = entities.networks.flatMap(({ _id }) =>
    COUNTED.flatMap((counted) => {
      const kept = guards
        .filter(({ target }) => target === _id)
        .reduce((sum, { counts }) => sum + (counts[counted] ?? 0), 0);
      const real = entities[counted].filter(({ network_id }) => network_id === _id).length;
      return kept === real ? [] : [`networks ${_id}: ${kept} ${counted} are counted, there are ${real}`];
    }),
  );
  return [
    ...incomplete.map(({ _id }) => `${_id} has ${guardCounts.get(_id) ?? 0} guards`),
    ...orphaned.map((target) => `guards of ${target} have no target`),
    ...miscounted,
  ];
}
