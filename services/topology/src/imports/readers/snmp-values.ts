import { isIPv4 } from "node:net";
import { isMac } from "@nts/shared/contract/formats";
import { type Recorded, recordedIn } from "./snmp-records.js";

// Lines of `snmpwalk`, and the values of their types, as net-snmp prints them with and without MIB files.

/** A value with its place: the OID in numbers without a leading dot. */
export interface Walked {
  readonly line: number;
  readonly oid: string;
  readonly type: string;
  readonly value: string;
}

/** Names of what is read, for walks without `-On`. */
const NAMES: Readonly<Record<string, string>> = {
  sysDescr: "1.3.6.1.2.1.1.1",
  sysObjectID: "1.3.6.1.2.1.1.2",
  sysUpTime: "1.3.6.1.2.1.1.3",
  sysUpTimeInstance: "1.3.6.1.2.1.1.3.0",
  sysName: "1.3.6.1.2.1.1.5",
  ifDescr: "1.3.6.1.2.1.2.2.1.2",
  ifType: "1.3.6.1.2.1.2.2.1.3",
  ifSpeed: "1.3.6.1.2.1.2.2.1.5",
  ifPhysAddress: "1.3.6.1.2.1.2.2.1.6",
  ifOperStatus: "1.3.6.1.2.1.2.2.1.8",
  ifName: "1.3.6.1.2.1.31.1.1.1.1",
  ifHighSpeed: "1.3.6.1.2.1.31.1.1.1.15",
  ifAlias: "1.3.6.1.2.1.31.1.1.1.18",
  ifStackStatus: "1.3.6.1.2.1.31.1.2.1.3",
  ipAdEntIfIndex: "1.3.6.1.2.1.4.20.1.2",
  ipNetToMediaPhysAddress: "1.3.6.1.2.1.4.22.1.2",
  dot1dBaseBridgeAddress: "1.3.6.1.2.1.17.1.1",
  dot1dBasePortIfIndex: "1.3.6.1.2.1.17.1.4.1.2",
  dot1dTpFdbPort: "1.3.6.1.2.1.17.4.3.1.2",
  dot1dTpFdbStatus: "1.3.6.1.2.1.17.4.3.1.3",
  dot1qTpFdbPort: "1.3.6.1.2.1.17.7.1.2.2.1.2",
  dot1qTpFdbStatus: "1.3.6.1.2.1.17.7.1.2.2.1.3",
  dot1qVlanCurrentEgressPorts: "1.3.6.1.2.1.17.7.1.4.2.1.4",
  dot1qVlanStaticName: "1.3.6.1.2.1.17.7.1.4.3.1.1",
  dot1qVlanStaticEgressPorts: "1.3.6.1.2.1.17.7.1.4.3.1.2",
  dot1qPvid: "1.3.6.1.2.1.17.7.1.4.5.1.1",
  dot3adAggPortAttachedAggID: "1.2.840.10006.300.43.1.2.1.1.13",
  lldpLocChassisIdSubtype: "1.0.8802.1.1.2.1.3.1",
  lldpLocChassisId: "1.0.8802.1.1.2.1.3.2",
  lldpLocSysName: "1.0.8802.1.1.2.1.3.3",
  lldpLocPortIdSubtype: "1.0.8802.1.1.2.1.3.7.1.2",
  lldpLocPortId: "1.0.8802.1.1.2.1.3.7.1.3",
  lldpLocPortDesc: "1.0.8802.1.1.2.1.3.7.1.4",
  lldpRemChassisIdSubtype: "1.0.8802.1.1.2.1.4.1.1.4",
  lldpRemChassisId: "1.0.8802.1.1.2.1.4.1.1.5",
  lldpRemPortIdSubtype: "1.0.8802.1.1.2.1.4.1.1.6",
  lldpRemPortId: "1.0.8802.1.1.2.1.4.1.1.7",
  lldpRemPortDesc: "1.0.8802.1.1.2.1.4.1.1.8",
  lldpRemSysName: "1.0.8802.1.1.2.1.4.1.1.9",
  lldpRemSysDesc: "1.0.8802.1.1.2.1.4.1.1.10",
  lldpRemSysCapEnabled: "1.0.8802.1.1.2.1.4.1.1.12",
  lldpRemManAddrIfSubtype: "1.0.8802.1.1.2.1.4.2.1.3",
  cdpCacheAddress: "1.3.6.1.4.1.9.9.23.1.2.1.1.4",
  cdpCacheDeviceId: "1.3.6.1.4.1.9.9.23.1.2.1.1.6",
  cdpCacheDevicePort: "1.3.6.1.4.1.9.9.23.1.2.1.1.7",
  cdpCachePlatform: "1.3.6.1.4.1.9.9.23.1.2.1.1.8",
  entPhysicalDescr: "1.3.6.1.2.1.47.1.1.1.1.2",
  entPhysicalClass: "1.3.6.1.2.1.47.1.1.1.1.5",
  entPhysicalName: "1.3.6.1.2.1.47.1.1.1.1.7",
  entPhysicalSerialNum: "1.3.6.1.2.1.47.1.1.1.1.11",
  entPhysicalMfgName: "1.3.6.1.2.1.47.1.1.1.1.12",
  entPhysicalModelName: "1.3.6.1.2.1.47.1.1.1.1.13",
};

const NUMERIC = /^\.?((?:iso|1)(?:\.\d+){4,127}) = (.*)$/;
const NAMED = /^(?:[\w-]{1,60}::)?([A-Za-z]\w{0,80})((?:\.\d+){1,127}) = (.*)$/;
const TYPED = /^([A-Za-z][A-Za-z0-9-]{1,20}(?: [A-Za-z]{1,8})?): ?(.*)$/s;

/** The OID and value of a line; null if it is none, and undefined for an object that is not read. */
export function walkedIn(text: string): Recorded | null | undefined {
  const [, numeric, rest] = NUMERIC.exec(text) ?? [];
  if (numeric !== undefined) return { oid: numeric.replace(/^iso/, "1"), rest: rest ?? "" };
  const [, name = "", index = "", value = ""] = NAMED.exec(text) ?? [];
  if (name === "") return recordedIn(text);
  const oid = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  return oid === undefined ? undefined : { oid: oid + index, rest: value };
}

/** Type and value. */
export function typedIn(rest: string): Pick<Walked, "type" | "value"> {
  const [, type, value] = TYPED.exec(rest) ?? [];
  return type === undefined ? { type: "", value: rest } : { type, value: value ?? "" };
}

/** A text, without quotes. */
export function textIn({ type, value }: Pick<Walked, "type" | "value">): string {
  if (type === "Hex-STRING") return bytesIn(value).toString("utf8").replaceAll("\u0000", "").trim();
  const quoted = /^"(.*)"$/s.exec(value.trim())?.[1];
  return (quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, "$1")).trim();
}

/** An integer, also as `up(1)`. */
export function numberIn({ value }: Pick<Walked, "value">): number | null {
  const found = /^(?:[\w-]*\()?(-?\d{1,15})\)?(?:$|\s)/.exec(value.trim())?.[1];
  return found === undefined ? null : Number(found);
}

/** The bytes of a value, however it is printed. */
export function octetsIn({ type, value }: Pick<Walked, "type" | "value">): Buffer {
  if (type === "Hex-STRING") return bytesIn(value);
  if (/^(?:[\da-f]{1,2}[: -]){5,7}[\da-f]{1,2}$/i.test(value.trim())) return bytesIn(value.replaceAll(/[: -]/g, " "));
  return Buffer.from(textIn({ type, value }), "latin1");
}

function bytesIn(value: string): Buffer {
  const parts = value
    .trim()
    .split(/\s+/)
    .filter((part) => /^[\da-f]{1,2}$/i.test(part));
  return Buffer.from(parts.map((part) => parseInt(part, 16)));
}

/** A MAC address in canonical form; null if it is none of one card. */
export function macOf(octets: Buffer): string | null {
  if (octets.length !== 6) return null;
  const mac = octets
    .toString("hex")
    .toUpperCase()
    .replaceAll(/..(?!$)/g, "$&:");
  return isMac(mac) && mac !== "00:00:00:00:00:00" && (octets.readUInt8(0) & 1) === 0 ? mac : null;
}

/** The MAC address in the last six numbers of an index. */
export function macAtEnd(index: string): string | null {
  const numbers = index.split(".").slice(-6).map(Number);
  return numbers.length === 6 && numbers.every((number) => number <= 255) ? macOf(Buffer.from(numbers)) : null;
}

/** The places of a list of ports: the first bit is 1. */
export function placesIn(octets: Buffer): number[] {
  return [...octets].flatMap((byte, at) =>
    Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1 ? at * 8 + bit + 1 : 0)).filter(
      (place) => place > 0,
    ),
  );
}

/** An IPv4 address of numbers; null if it is none. */
export function ipv4In(numbers: readonly string[]): string | null {
  const text = numbers.join(".");
  return isIPv4(text) ? text : null;
}
