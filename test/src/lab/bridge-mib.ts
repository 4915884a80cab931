/**
 * What the kernel's bridge knows, for snmpd, which asks by the protocol of `pass_persist`: the BRIDGE-MIB's address, ports and table of
 * MAC addresses. Its argument is the name of the bridge.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const bridge = process.argv[2] ?? "";
const ROOT = "1.3.6.1.2.1.17";
const BASE_PORT = `${ROOT}.1.4.1.2`;
const TABLE = `${ROOT}.4.3.1`;
const LEARNED = 3;
const MOST_AGE_MS = 500;

interface Row {
  readonly oid: string;
  readonly type: "integer" | "octet";
  readonly value: string;
}

interface TableEntry {
  readonly mac: string;
  readonly ifname: string;
  readonly master?: string;
  readonly state?: string;
}

let rows: readonly Row[] = [];
let readAt = -Infinity;
/** What the next lines are about. */
let asked: "get" | "getnext" | null = null;
createInterface({ input: process.stdin }).on("line", (line) => {
  if (asked !== null) {
    respond(asked, line.trim().replace(/^\./, ""));
    asked = null;
  } else if (line === "PING") console.log("PONG");
  else if (line === "get" || line === "getnext") asked = line;
  else console.log("NONE");
});

function respond(how: "get" | "getnext", oid: string): void {
  if (performance.now() - readAt > MOST_AGE_MS) {
    rows = rowsNow().sort((one, other) => compare(one.oid, other.oid));
    readAt = performance.now();
  }
  const row = how === "get" ? rows.find((one) => one.oid === oid) : rows.find((one) => compare(one.oid, oid) > 0);
  console.log(row === undefined ? "NONE" : `.${row.oid}\n${row.type}\n${row.value}`);
}

function rowsNow(): Row[] {
  const ports = new Map(
    readdirSync(join("/sys/class/net", bridge, "brif")).map((name) => [
      name,
      { number: Number(fact(name, "brport/port_no")), index: Number(fact(name, "ifindex")) },
    ]),
  );
  const integer = (oid: string, value: number): Row => ({ oid, type: "integer", value: String(value) });
  const octets = (oid: string, mac: string): Row => ({ oid, type: "octet", value: mac.replaceAll(":", " ") });
  const table = JSON.parse(
    execFileSync("bridge", ["-j", "fdb", "show", "br", bridge], { encoding: "utf8" }),
  ) as TableEntry[];
  const learnt = table.filter(({ master, state }) => master === bridge && state !== "permanent");
  return [
    octets(`${ROOT}.1.1.0`, fact(bridge, "address")),
    ...[...ports.values()].map(({ number, index }) => integer(`${BASE_PORT}.${number}`, index)),
    ...learnt.flatMap(({ mac, ifname }) => {
      const index = mac
        .split(":")
        .map((byte) => parseInt(byte, 16))
        .join(".");
      const port = ports.get(ifname)?.number ?? 0;
      return [
        octets(`${TABLE}.1.${index}`, mac),
        integer(`${TABLE}.2.${index}`, port),
        integer(`${TABLE}.3.${index}`, LEARNED),
      ];
    }),
  ];
}

function fact(link: string, name: string): string {
  return readFileSync(join("/sys/class/net", link, name), "utf8").trim();
}

function compare(one: string, other: string): number {
  const a = one.split(".").map(Number);
  const b = other.split(".").map(Number);
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
