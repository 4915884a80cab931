import type {
  Confidence,
  ImportedChange,
  ObservedOfHost,
  ObservedOfInterface,
  ObservedOfPort,
  ObservedOfService,
  Role,
} from "@nts/shared/contract";

// What a file says about entities, as kept in `observed`. A file replaces only what it speaks of, and what it repeats keeps its time.

/** What a file says of a host. */
export interface SaysOfHost {
  readonly os?:
    | (Without<NonNullable<ObservedOfHost["os"]>> & {
        /** The kind of device, which is not kept: it only counts for the role. */
        readonly kind?: string;
      })
    | null;
  readonly vendor?: string | null;
  readonly model?: string | null;
  readonly serial?: string | null;
  /** In hexadecimal. */
  readonly duid?: string | null;
  readonly machine_id?: string | null;
}

/** Who says to whom a MAC address is assigned, unless a scanner does. */
const REGISTRY = "ieee";

/**
 * What it says of the network card of an address; if it says nothing, the assignments of the IEEE do.
 *
 * @param assigned to whom the MAC address is assigned; only asked where nothing else is known
 */
export function interfaceTold(
  present: ObservedOfInterface | null,
  { vendor, assigned }: { readonly vendor: string | null; readonly assigned: () => string | null },
  saying: Saying,
): ObservedOfInterface | null {
  const isKnown = vendor !== null || (present?.vendor ?? null) !== null;
  const { by, since } = saying;
  const value = isKnown ? vendor : assigned();
  return unlessNothing(present, {
    vendor: told(present?.vendor, textOf(value), { by: isKnown ? by : REGISTRY, since }),
  });
}

/** What it says of a port. */
export interface SaysOfPort {
  readonly certificate?: Without<NonNullable<ObservedOfPort["certificate"]>> | null;
  readonly title?: string | null;
}

/** What it says of a service. */
export interface SaysOfService {
  readonly product: string | null;
  readonly version: string | null;
  readonly cpe: readonly string[];
  readonly confidence: Confidence | null;
}

/** Who says so, and when. */
export interface Saying {
  readonly by: string;
  readonly since: string;
}

type Without<Value extends Saying> = Omit<Value, "by" | "since">;

/**
 * Sources of what a machine is, the least certain first: scans guess, machines know. Without an order, a value would change with each
 * import of another source.
 */
const CERTAINTY: readonly string[] = [
  "ip-neigh",
  "arp",
  "nmap",
  "report",
  "proxmox",
  "csv",
  "kubernetes",
  "ansible-facts",
];

function isMoreCertain(present: Saying | null | undefined, { by }: Saying): boolean {
  return present !== null && present !== undefined && CERTAINTY.indexOf(present.by) > CERTAINTY.indexOf(by);
}

/** A member of a host with its new value, unless what is known is more certain. */
function toldOfHost<Value extends Saying>(
  present: Value | null | undefined,
  value: Without<Value> | null,
  saying: Saying,
): Value | null {
  return told(present, isMoreCertain(present, saying) ? null : value, saying);
}

/** What a file says of a host, although more certain sources say something else; for display. */
export function outdoneBy(present: ObservedOfHost | null, { os = null }: SaysOfHost, saying: Saying): string | null {
  const known = present?.os ?? null;
  if (os === null || known === null || known.name === os.name || !isMoreCertain(known, saying)) return null;
  return `${known.by} says that it is ${known.name}`;
}

/** The host with what is said of it, and the role that follows from that. */
export function hostTold(
  present: ObservedOfHost | null,
  says: SaysOfHost,
  role: Role | null,
  saying: Saying,
): ObservedOfHost | null {
  const { os = null, vendor = null, model = null, serial = null, duid = null, machine_id: id = null } = says;
  const ofClient = toldOfHost(present?.duid, textOf(duid), saying);
  const ofSystem = toldOfHost(present?.machine_id, textOf(id), saying);
  return unlessNothing(present, {
    os: toldOfHost(
      present?.os,
      os === null ? null : { name: os.name, version: os.version, cpe: os.cpe, accuracy: os.accuracy },
      saying,
    ),
    vendor: toldOfHost(present?.vendor, textOf(vendor), saying),
    model: toldOfHost(present?.model, textOf(model), saying),
    serial: toldOfHost(present?.serial, textOf(serial), saying),
    ...(ofClient !== null && { duid: ofClient }),
    ...(ofSystem !== null && { machine_id: ofSystem }),
    role: told(present?.role, role === null ? null : { value: role }, saying),
  });
}

export function portTold(present: ObservedOfPort | null, says: SaysOfPort, saying: Saying): ObservedOfPort | null {
  const { certificate = null, title = null } = says;
  return unlessNothing(present, {
    certificate: told(present?.certificate, certificate, saying),
    title: told(present?.title, textOf(title), saying),
  });
}

/** A guess from a port's number says nothing of a service that has answered before. */
export function serviceTold(
  present: ObservedOfService | null,
  says: SaysOfService,
  saying: Saying,
): ObservedOfService | null {
  const { product, version, cpe, confidence } = says;
  const isWorse = confidence === "port" && (present?.confidence ?? null) !== null;
  return unlessNothing(present, {
    product: told(present?.product, textOf(product), saying),
    version: told(present?.version, textOf(version), saying),
    cpe: told(present?.cpe, cpe.length === 0 ? null : { values: [...cpe] }, saying),
    confidence: told(present?.confidence, confidence === null || isWorse ? null : { value: confidence }, saying),
  });
}

function textOf(value: string | null): { value: string } | null {
  return value === null ? null : { value };
}

/** A member with its new value; it stays as it is if nothing, or the same, is said. */
function told<Value extends Saying>(
  present: Value | null | undefined,
  value: Without<Value> | null,
  saying: Saying,
): Value | null {
  if (value === null) return present ?? null;
  if (present !== undefined && present !== null && textWithout(present) === JSON.stringify(value)) return present;
  return Object.assign({}, value, { by: saying.by, since: saying.since }) as unknown as Value;
}

/** The JSON of a value without who said it; its members are in the order of the schema. */
function textWithout(value: Saying): string {
  return JSON.stringify({ ...value, by: undefined, since: undefined });
}

/** What is present if nothing differs, so that it is compared by identity; null if nothing is said. */
function unlessNothing<Told extends object>(present: Told | null, next: Told): Told | null {
  const before = (present ?? {}) as Readonly<Record<string, unknown>>;
  const isSame = Object.entries(next).every(([name, value]) => value === (before[name] ?? null));
  return isSame ? present : next;
}

/** The changed members of `observed`, as texts. @param path of the entity, such as `services.nginx.` */
export function changesOfObserved(path: string, before: object | null, after: object | null): ImportedChange[] {
  if (before === after) return [];
  const was = (before ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(after ?? {}).flatMap(([name, value]) => {
    if (value === (was[name] ?? null)) return [];
    const from = was[name] ?? null;
    return { path: `${path}observed.${name}`, from: from === null ? null : shown(from), to: shown(value) };
  });
}

/** A value in a few words. */
function shown(value: unknown): string {
  const { value: text, values, name, version, subject, not_after: until } = value as Readonly<Record<string, unknown>>;
  if (typeof text === "string") return text;
  if (Array.isArray(values)) return values.join(" ");
  const parts = [name, name === undefined ? null : version, subject, until].filter((part) => typeof part === "string");
  return parts.join(" ");
}
