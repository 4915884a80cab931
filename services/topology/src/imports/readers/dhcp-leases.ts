import { MOST_SIGHTINGS, type Scan } from "../scan.rules.js";
import { dnsmasqLease, isDnsmasq, iscLeases, keaLeases, type Lease, type LeaseLines } from "./leases.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader, ReaderGiven } from "./reader.js";
import { createSightings, type Sightings } from "./sightings.js";
import { addressIn, cardOf, hostnameIn, macIn, toolInfo } from "./texts.js";

// Leases of DHCP servers: dnsmasq, Kea (CSV for IPv4 and IPv6) and ISC dhcpd, detected by content. The latter two
// append, so the last lease of an address counts.

const KEA = /^address,(?:hwaddr|duid),/;
const ISC =
  /^(?:lease [\d.]{7,15} \{|ia-(?:na|ta|pd) "|server-duid |authoring-byte-order |failover peer |# The format of this file is documented in the dhcpd\.leases)/;
export const dhcpLeases: Reader = { format: "dhcp-leases", looksLike, read: readLeases };

function looksLike(beginning: string): boolean {
  return beginning.split("\n", 20).some((line) => kindOf(line.trim()) !== null);
}

function readLeases(bytes: Iterable<Uint8Array>, { nowMs }: ReaderGiven): Scan {
  const sightings = createSightings();
  const leases = new Map<string, Lease>();
  let kind: ReturnType<typeof kindOf> = null;
  for (const line of linesOf(bytes)) {
    const text = line.text.trim();
    kind ??= kindOf(text);
    if (kind === null && text !== "" && !text.startsWith("#")) break;
    const lease = kind?.({ ...line, text }) ?? null;
    if (lease === null) continue;
    leases.delete(lease.address);
    leases.set(lease.address, lease);
    if (leases.size > MOST_SIGHTINGS) throw faultAt(line.number, `an import reads at most ${MOST_SIGHTINGS} leases`);
  }
  if (kind === null) throw faultAt(1, "must be leases of dnsmasq, of Kea as CSV, or of ISC dhcpd");
  for (const lease of leases.values()) takeLease(sightings, lease, nowMs);
  return sightings.scan(toolInfo("DHCP"));
}

/** Adds the host of a lease, or skips it with a reason. */
function takeLease({ add, skipped }: Sightings, lease: Lease, nowMs: number): void {
  const { line, address, endsMs } = lease;
  const what = `lease of ${address.slice(0, 50)}`;
  const ip = addressIn(address);
  if (ip === null) skipped.add(line, what, "it is not an IP address");
  else if (endsMs !== null && endsMs < nowMs) skipped.add(line, what, "it has expired");
  else if (lease.fault !== null) skipped.add(line, what, lease.fault);
  else {
    const { mac, vendor } = cardOf(macIn(lease.mac), ip);
    const hostname = hostnameIn(lease.hostname.replace(/\.$/, ""));
    add({ line, addresses: [{ ip, mac }], hostname, vendor, ports: [] }, what);
  }
}

/** Chooses the reader by the first line; null if undecided. */
function kindOf(text: string): LeaseLines | null {
  if (KEA.test(text)) return keaLeases();
  if (ISC.test(text)) return iscLeases();
  return isDnsmasq(text) ? dnsmasqLease : null;
}
