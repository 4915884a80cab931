// Lines of a record of snmpsim: an OID in numbers, the number of a type, and a value, such as `1.3.6.1.2.1.1.5.0|4|sw1`.

/** `x` after the type says that the value is in hexadecimal, and a name that a module of the simulator computes it. */
const RECORD = /^\.?(1(?:\.\d+){4,127})\|(\d{1,3})(x?)(?::(\w{1,60}))?\|(.*)$/;

/** Types as the protocol numbers them, as `snmpwalk` names them. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ["2", "INTEGER"],
  ["6", "OID"],
  ["64", "IpAddress"],
  ["65", "Counter32"],
  ["66", "Gauge32"],
  ["67", "Timeticks"],
  ["70", "Counter64"],
]);

export interface Recorded {
  readonly oid: string;
  /** Type and value, as `snmpwalk` prints them. */
  readonly rest: string;
  /** The value is not in the file. */
  readonly isComputed?: boolean;
}

export function isRecord(text: string): boolean {
  return RECORD.test(text.trimEnd());
}

/** The OID and value of a line; null if it is none. */
export function recordedIn(text: string): Recorded | null {
  const [, oid, type = "", hex, module, value = ""] = RECORD.exec(text) ?? [];
  if (oid === undefined) return null;
  if (module !== undefined) return { oid, rest: "", isComputed: true };
  if (hex !== "") return { oid, rest: `Hex-STRING: ${value.replaceAll(/../g, "$& ")}` };
  const name = TYPES.get(type);
  return { oid, rest: name === undefined ? `STRING: "${value.replaceAll(/["\\]/g, "\\$&")}"` : `${name}: ${value}` };
}
