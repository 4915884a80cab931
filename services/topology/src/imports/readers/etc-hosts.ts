import { putUnder } from "@nts/shared/groups";
import { compareNames } from "../../values/host-names.rules.js";
import { together } from "../merge.rules.js";
import type { Scan, SeenHost } from "../scan.rules.js";
import { faultAt, linesOf } from "./lines.js";
import type { Reader } from "./reader.js";
import { createSightings } from "./sightings.js";
import { addressIn, hostnameIn, reasonAgainst, toolInfo } from "./texts.js";

// `/etc/hosts`: an address and its names on a line. It is written by people, and observes nothing. Lines with one first name are
// of one host.

const ENTRY = /^(\S{2,100})\s+(\S{1,253}(?:\s+\S{1,253}){0,50})$/;
const NAME = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?\.?$/u;
const SAMPLE_LINES = 20;
/** Characters of names that are listed. */
const LONGEST_LISTED = 300;
/** Of the first lines, those that must be entries. */
const MOST_OF_THEM = 2 / 3;

export const etcHosts: Reader = { format: "etc-hosts", looksLike, read: readHosts };

interface Entry {
  readonly ip: string;
  readonly names: readonly string[];
}

function looksLike(beginning: string): boolean {
  const lines = beginning.split("\n", SAMPLE_LINES).map(withoutComment);
  const written = lines.filter((line) => line !== "");
  const entries = written.filter((line) => entryIn(line) !== null);
  return entries.length > 0 && entries[0] === written[0] && entries.length >= written.length * MOST_OF_THEM;
}

function readHosts(bytes: Iterable<Uint8Array>): Scan {
  const sightings = createSightings();
  const byName = new Map<string, SeenHost[]>();
  let entries = 0;
  for (const { number: line, text } of linesOf(bytes)) {
    const written = withoutComment(text);
    if (written === "") continue;
    const entry = entryIn(written);
    if (entry === null && entries === 0) throw faultAt(line, "must be an address and names, as in /etc/hosts");
    if (entry === null) {
      sightings.skipped.add(line, `line ${line}`, "it is not an address with names");
      continue;
    }
    entries++;
    const reason = reasonAgainst(entry.ip);
    const [name = ""] = entry.names;
    const hostname = entry.names.map(hostnameIn).find((one) => one !== null) ?? null;
    if (reason !== null) sightings.skipped.add(line, `address ${entry.ip}`, reason);
    else if (hostname === null) sightings.skipped.add(line, `address ${entry.ip}`, "many machines have its name");
    else {
      const others = entry.names.filter((one) => compareNames(one, hostname) === "different");
      if (others.length > 0)
        sightings.skipped.add(
          line,
          `names ${others.join(", ").slice(0, LONGEST_LISTED)}`,
          `a host has one name, here ${hostname}`,
        );
      putUnder(byName, name.toLowerCase(), {
        line,
        addresses: [{ ip: entry.ip, mac: null }],
        hostname,
        vendor: null,
        ports: [],
      });
    }
  }
  if (entries === 0) throw faultAt(1, "must be an address and names, as in /etc/hosts");
  for (const hosts of byName.values()) sightings.add(together(hosts), `host ${hosts[0]?.hostname ?? ""}`);
  return sightings.scan(toolInfo("hosts"), null);
}

function withoutComment(line: string): string {
  return line.split("#", 1)[0]?.trim() ?? "";
}

function entryIn(line: string): Entry | null {
  const [, address = "", names = ""] = ENTRY.exec(line) ?? [];
  const ip = addressIn(address);
  const all = names.split(/\s+/);
  return ip !== null && all.every((name) => NAME.test(name) && addressIn(name) === null) ? { ip, names: all } : null;
}
