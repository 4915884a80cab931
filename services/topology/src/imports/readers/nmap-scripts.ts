import { createHash } from "node:crypto";
import type { SaysOfPort } from "../observations.rules.js";
import { clip } from "./texts.js";
import type { Attributes } from "./xml.js";

// What scripts of nmap say of a port: the certificate of `ssl-cert`, and the title of `http-title`.

/** Texts of a script that are kept. */
const MOST_VALUES = 200;
const MOST_NAMES = 100;
const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/;

/** Scripts whose findings are read. */
export const READ_SCRIPTS: ReadonlySet<string> = new Set(["ssl-cert", "http-title"]);

/** A script being read: the texts of its elements, by the keys that lead to them. */
export interface ReadingScript {
  readonly id: string;
  readonly keys: (string | null)[];
  readonly values: Map<string, string>;
}

export function newScript({ id = "" }: Attributes): ReadingScript {
  return { id, keys: [], values: new Map() };
}

/** Takes the text of an element. Extensions are pairs of a name and a value, which follows it. */
export function takeText({ keys, values }: ReadingScript, text: string): void {
  if (values.size === MOST_VALUES) return;
  const path = keys.filter((key) => key !== null).join("/");
  const isValue = path === "extensions/value";
  values.set(isValue ? `extensions/${values.get("extensions/name") ?? ""}` : path, text);
}

/** What a finished script says. */
export function saidBy({ id, values }: ReadingScript): SaysOfPort {
  if (id === "http-title") return { title: clip(values.get("title"), 300) };
  return id === "ssl-cert" ? { certificate: certificateOf(values) } : {};
}

function certificateOf(values: ReadonlyMap<string, string>): SaysOfPort["certificate"] {
  const until = timeIn(values.get("validity/notAfter"));
  const subject = nameIn(values, "subject");
  if (subject === null && until === null) return null;
  return {
    subject: subject ?? "",
    issuer: nameIn(values, "issuer") ?? "",
    names: namesIn(values),
    not_before: timeIn(values.get("validity/notBefore")),
    not_after: until,
    sha256: fingerprintOf(values),
  };
}

/** The common name, else the organization, of a subject or issuer. */
function nameIn(values: ReadonlyMap<string, string>, of: string): string | null {
  return clip(values.get(`${of}/commonName`), 253) ?? clip(values.get(`${of}/organizationName`), 253);
}

/** The names for which it is valid, from the extension, as in `DNS:nas.example, IP Address:10.0.0.5`. */
function namesIn(values: ReadonlyMap<string, string>): string[] {
  const written = [...values].find(([key]) => key.endsWith("Subject Alternative Name"))?.[1] ?? "";
  const names = written
    .split(/,\s*/)
    .flatMap((part) => clip(/^(?:DNS|IP(?: Address)?):(.+)$/.exec(part)?.[1], 253) ?? []);
  return [...new Set(names)].slice(0, MOST_NAMES);
}

/** nmap writes times in UTC without saying so. */
function timeIn(written: string | undefined): string | null {
  const text = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.exec(written ?? "")?.[0];
  const ms = text === undefined ? NaN : Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function fingerprintOf(values: ReadonlyMap<string, string>): string | null {
  const encoded = PEM.exec(values.get("pem") ?? "")?.[1];
  if (encoded !== undefined) return createHash("sha256").update(Buffer.from(encoded, "base64")).digest("hex");
  const written = values.get("sha256")?.replaceAll(/[\s:]/g, "").toLowerCase() ?? "";
  return /^[0-9a-f]{64}$/.test(written) ? written : null;
}
