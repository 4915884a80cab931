import { putUnder } from "@nts/shared/groups";
import type { GuessSource, Protocol } from "@nts/shared/contract";
import { CATALOGUE } from "../values/definitions/catalogue.js";
import { portType } from "../values/well-known-ports.rules.js";
import { DEFINITION_OF_NAME, DEFINITION_OF_PRODUCT, PORTS_OF_GENERIC, WEB } from "./known-services.rules.js";
import type { SeenService } from "./scan.rules.js";

// Guesses the service behind an open port from its number and, at best, a banner.

/** The probable definition. */
export interface Guess {
  readonly definition: string;
  /** Null if a person has specified it. */
  readonly from: GuessSource | null;
  /** The service's name: the product if known, else the definition. */
  readonly name: string;
  /** Whether {@link name} is a product. */
  readonly isProduct: boolean;
}

/** A port without its host. */
export interface PortNumber {
  readonly number: number;
  readonly protocol: Protocol;
}

const CATALOGUE_NAMES: ReadonlyMap<string, string> = new Map(CATALOGUE.map(({ name }) => [name.toLowerCase(), name]));
const USERS_OF_PORTS = usersOfPorts();

/**
 * The probable definition of a service; null if unknown. The detected product counts most, then the service name, then
 * the port: its well-known name, or the only catalogue definition with it.
 * A name derived from the number is worth no more than the number.
 */
export function guessOf(port: PortNumber, service: SeenService | null): Guess | null {
  const written = service?.definition ?? null;
  if (written !== null) return guess(CATALOGUE_NAMES.get(written.toLowerCase()) ?? written, null, service);
  if (service?.isOfImage === true) return guess(byImage(service) ?? service.kind ?? CONTAINER, "product", service);
  const ofProduct = byProduct(service?.kind ?? service?.product ?? null);
  if (ofProduct !== null) return guess(ofProduct, "product", service);
  const ofName = byName(service);
  if (ofName !== null && !WEB.has(ofName)) return guess(ofName, "service_name", service);
  const ofPort = soleUserOf(port);
  if (ofPort !== null) return guess(ofPort, "port", service);
  if (ofName !== null) return guess(ofName, "service_name", service);
  const type = portType(port.number, port.protocol);
  if (type !== "Custom") return guess(DEFINITION_OF_NAME[type.toLowerCase()] ?? type, "port", service);
  const probed = service?.isProbed === true ? service.name : null;
  return probed === null || probed === "unknown" || probed === "tcpwrapped"
    ? null
    : guess(probed, "service_name", service);
}

/** True if the port is typical for the definition. */
export function isUsual(definition: string, port: PortNumber): boolean {
  if (Object.hasOwn(PORTS_OF_GENERIC, definition)) return PORTS_OF_GENERIC[definition]?.includes(port.number) === true;
  return USERS_OF_PORTS.get(keyOf(port))?.includes(definition) === true;
}

function guess(definition: string, from: GuessSource | null, service: SeenService | null): Guess {
  const product = service?.product ?? null;
  return { definition, from, name: product ?? definition, isProduct: product !== null };
}

/** What a container is of whose image has no name. */
const CONTAINER = "Container";
/** Words in names of images that do not make it another product. */
const OF_EDITIONS =
  /^(?:alpine|ce|community|docker|ee|enterprise|latest|main|official|oss|rootless|server|slim|stable|stack|standalone|unprivileged|\d[\d.]*)$/;

/** The definition of an image: all of its name counts, so that an exporter for Redis is no Redis. */
function byImage(service: SeenService): string | null {
  const words = (service.kind ?? "").toLowerCase().split(" ");
  while (words.length > 1 && OF_EDITIONS.test(words.at(-1) ?? "")) words.pop();
  const product = words.join(" ");
  return own(DEFINITION_OF_PRODUCT, product) ?? CATALOGUE_NAMES.get(product) ?? byName({ ...service, name: product });
}

function byProduct(product: string | null): string | null {
  if (product === null) return null;
  const text = product.toLowerCase();
  const ends = [...text.matchAll(/[ /]|$/g)].map(({ index }) => index);
  for (const end of ends.reverse()) {
    const beginning = text.slice(0, end);
    const found = own(DEFINITION_OF_PRODUCT, beginning) ?? CATALOGUE_NAMES.get(beginning);
    if (found !== undefined) return found;
  }
  return null;
}

function byName(service: SeenService | null): string | null {
  const name = service?.name?.toLowerCase();
  if (name === undefined) return null;
  const wrapped = service?.isWrapped === true ? own(DEFINITION_OF_NAME, `${name}s`) : undefined;
  return wrapped ?? own(DEFINITION_OF_NAME, name) ?? null;
}

/** Ports used by one definition only, without a well-known name. */
function soleUserOf(port: PortNumber): string | null {
  if (portType(port.number, port.protocol) !== "Custom") return null;
  const users = USERS_OF_PORTS.get(keyOf(port)) ?? [];
  return users.length === 1 ? (users[0] ?? null) : null;
}

function usersOfPorts(): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>();
  for (const { name, ports } of CATALOGUE) for (const port of ports) putUnder(users, keyOf(port), name);
  return users;
}

function keyOf({ number, protocol }: PortNumber): string {
  return `${number}/${protocol}`;
}

/** Own properties only. */
export function own(table: Readonly<Partial<Record<string, string>>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
