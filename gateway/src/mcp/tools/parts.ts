import { folded } from "@nts/shared/contract/folding.rules";
import { canonicalMac, isMac } from "@nts/shared/contract/formats";
import { isTimeZone, MOMENT_EXAMPLES, momentOf, momentText, type Reader } from "@nts/shared/contract/moments.rules";
import { canonicalAddress } from "@nts/shared/contract/sockets.rules";
import type { Host } from "@nts/shared/contract";
import { z } from "zod";
import { short } from "../results.rules.js";
import { Refusal } from "../tool.js";

// What several tools have in common.

export const PAGE = 8;

export const from = z
  .int()
  .min(0)
  .max(1_000_000)
  .default(0)
  .describe("Where to continue, as given in the previous result.");
export const network = z.string().max(100).optional().describe("Only in this network, by its name or id.");
export function inNetwork(network_id: string | undefined): { readonly network_id?: string } {
  return network_id === undefined ? {} : { network_id };
}

export const text = z.string();
export const textOrNull = z.string().nullable();
export const count = z.number();

/** A row that may have further members. */
export const HostLine = z.looseObject({
  ...{ id: text, name: text, hostname: textOrNull, network_id: text },
  ...{ addresses: z.array(text), services: count },
});

/** The summary of a host in a list. */
export function hostLine(host: Host): z.infer<typeof HostLine> {
  const { id, name, hostname, network_id, interfaces, services, missed_since, is_known } = host;
  return {
    ...{ id, name: short(name, 60), hostname: short(hostname, 80), network_id },
    addresses: interfaces.slice(0, 3).map(({ ip_address }) => ip_address),
    services: services.length,
    ...(typeof missed_since === "string" && { missed_since }),
    ...(!is_known && { is_known }),
  };
}

/** True if one of the names matches, ignoring case. */
export function isOneOf(names: readonly (string | null)[], given: string): boolean {
  return names.some((name) => name !== null && folded(name) === folded(given.trim()));
}

/** The text by which hosts are looked for that are called so. */
export function searched(given: string): string {
  return canonicalAddress(given.trim()).slice(0, 100);
}

/** True if people call a host so: by its name, host name or an address in any notation. */
export function isCalled({ name, hostname, interfaces }: Host, given: string): boolean {
  const text = given.trim();
  const mac = canonicalMac(text);
  const addresses = interfaces.map(({ ip_address }) => ip_address);
  return (
    isOneOf([name, hostname], text) ||
    isOneOf(addresses, canonicalAddress(text)) ||
    (isMac(mac) && interfaces.some(({ mac_address }) => mac_address === mac))
  );
}

/** `443/tcp`. */
export function portText({ number, protocol }: { readonly number: number; readonly protocol: string }): string {
  return `${number}/${protocol.toLowerCase()}`;
}

/** Numbers are doubles here, so one beyond their precision is called approximate. */
export function amountOf(amount: number): number | string {
  return Number.isSafeInteger(amount) ? amount : `about ${amount.toExponential(1)}`;
}

export const Amount = z.union([z.number(), z.string()]);

export function moment(what: string): z.ZodOptional<z.ZodString> {
  return z.string().max(60).optional().describe(`${what}, as people write it: ${MOMENT_EXAMPLES}, or ISO 8601.`);
}
export const timeZone = z.string().max(60).default("UTC").describe("Of the person, such as `Europe/Berlin`.");

/** A moment, and what was understood. */
export interface UnderstoodMoment {
  readonly at: Date;
  readonly text: string;
}

/** @throws Refusal if it is not clear */
export function understood(
  given: string | undefined,
  zone: string,
  edge: Reader["edge"],
  now = new Date(),
): UnderstoodMoment | null {
  if (!isTimeZone(zone)) throw new Refusal(`"${zone}" is not a time zone.`, "use one such as Europe/Berlin or UTC.");
  if (given === undefined || given.trim() === "") return null;
  const at = momentOf(given, { now, timeZone: zone, edge });
  if (at === null) throw new Refusal(`It is not clear when "${given}" is.`, `write it like ${MOMENT_EXAMPLES}.`);
  return { at, text: momentText(at, zone) };
}
