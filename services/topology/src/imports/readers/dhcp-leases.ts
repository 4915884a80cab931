import { MOST_SIGHTINGS, type Scan } from "../scan.rules.js";
import {
  dnsmasqLease,
  isDnsmasq,
  iscLeases,
  isOdhcpd,
  keaLeases,
  type Lease,
  type LeaseLines,
  leasesUnder,
  odhcpdLeases,
} from "./leases.js";
import { beginningOf, faultAt, linesOf } from "./lines.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { hasReservations, reservationsIn } from "./reservations.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, cardOf, clip, duidIn, hostnameIn, macIn, toolInfo } from "./texts.js";

// Leases of DHCP servers: dnsmasq, odhcpd, Kea (CSV for IPv4 and IPv6), ISC dhcpd, and tables of routers, detected by content. Kea
// and dhcpd append, so the last lease of an address counts. Reservations are written by people, and observe nothing.

const KEA = /^address,(?:hwaddr|duid),/;
const ISC =
  /^(?:lease [\d.]{7,15} \{|ia-(?:na|ta|pd) "|server-duid "|authoring-byte-order |failover peer "[^"]{1,100}" state|# The format of this file is documented in the dhcpd\.leases)/;
/** Lines in which the first lease, or a heading, is looked for; prompts and notes may precede it. */
const MOST_TITLES = 20;

export const dhcpLeases: Reader = { format: "dhcp-leases", looksLike, read: readLeases };

function looksLike(beginning: string): boolean {
  return beginning.split("\n", MOST_TITLES).some((line) => kindOf(line.trim()) !== null) || hasReservations(beginning);
}

function readLeases(bytes: Iterable<Uint8Array>, given: ReaderGiven): Scan {
  const blocks = [...bytes];
  const beginning = beginningOf(blocks);
  return hasReservations(beginning) && !hasLeases(beginning)
    ? readReservations(blocks, given)
    : readLines(blocks, given);
}

/** True for leases of dhcpd, between which there may be reservations. */
function hasLeases(beginning: string): boolean {
  return beginning.split("\n", MOST_TITLES).some((line) => ISC.test(line.trim()));
}

function readReservations(blocks: readonly Uint8Array[], { nowMs }: ReaderGiven): Scan {
  const sightings = createSightings();
  for (const lease of reservationsIn(blocks)) takeLease(sightings, lease, nowMs);
  return sightings.scan(toolInfo("DHCP"), null);
}

function readLines(blocks: readonly Uint8Array[], { nowMs }: ReaderGiven): Scan {
  const sightings = createSightings();
  const leases = new Map<string, Lease>();
  let kind: ReturnType<typeof kindOf> = null;
  let isTable = false;
  for (const line of linesOf(blocks)) {
    const text = line.text.trim();
    if (kind === null) {
      kind = kindOf(text);
      isTable = leasesUnder(text) !== null;
    }
    if (kind === null && line.number >= MOST_TITLES) break;
    for (const lease of [kind?.({ ...line, text: isTable ? line.text : text }) ?? []].flat()) {
      leases.delete(lease.address);
      leases.set(lease.address, lease);
    }
    if (leases.size > MOST_SIGHTINGS) throw faultAt(line.number, `an import reads at most ${MOST_SIGHTINGS} leases`);
  }
  if (kind === null) throw faultAt(1, "must be leases of dnsmasq, odhcpd, ISC dhcpd or, as CSV, Kea; or reservations");
  const cutOff = kind.cutOff?.() ?? null;
  for (const lease of [...leases.values(), ...(cutOff === null ? [] : [cutOff])]) takeLease(sightings, lease, nowMs);
  return sightings.scan(toolInfo("DHCP"));
}

/** Adds the host of a lease, or skips it with a reason. */
function takeLease({ add, skipped }: Sightings, lease: Lease, nowMs: number): void {
  const { line, address, endsMs } = lease;
  const what = `lease of ${address.slice(0, 50)}`;
  const ip = addressIn(address);
  if (ip === null) skipped.add(line, what, lease.fault ?? "it is not an IP address");
  else if (endsMs !== null && endsMs < nowMs) skipped.add(line, what, "it has expired");
  else if (lease.fault !== null) skipped.add(line, what, lease.fault);
  else {
    const { mac, vendor } = cardOf(macIn(lease.mac), ip);
    const hostname = hostnameIn(lease.hostname.replace(/\.$/, ""));
    const duid = duidIn(lease.duid ?? "");
    const says = duid === null ? {} : { says: { duid } };
    add(
      { line, addresses: [{ ip, mac }], hostname, vendor: clip(lease.note, 500) ?? vendor, ports: [], ...says },
      what,
    );
  }
}

/** Chooses the reader by the first line; null if undecided. */
function kindOf(text: string): LeaseLines | null {
  if (KEA.test(text)) return keaLeases();
  if (ISC.test(text)) return iscLeases();
  if (isOdhcpd(text)) return odhcpdLeases;
  const ofTable = leasesUnder(text);
  if (ofTable !== null) return ofTable;
  return isDnsmasq(text) ? dnsmasqLease : null;
}
