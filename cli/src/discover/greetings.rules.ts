// What servers say of themselves when somebody connects, or asks for their first page.

/** What is known of a service. */
export interface Greeting {
  /** Name of the protocol, as in the registry of ports. */
  readonly service: string;
  readonly product: string | null;
  readonly version: string | null;
}

/** Protocols in which the server speaks first. Each pattern may capture product and version. */
const GREETINGS: readonly (readonly [service: string, pattern: RegExp])[] = [
  ["ssh", /^SSH-[\d.]+-([A-Za-z][\w.]*?)[_-](\S{1,60})/],
  ["ssh", /^SSH-[\d.]+-([\w.]{1,60})?/],
  ["ftp", /^220[ -].{0,80}?\b(ProFTPD|vsFTPd|Pure-FTPd|FileZilla Server|Microsoft FTP Service)(?:[ )v(]*([\d.]+))?/i],
  ["ftp", /^220[ -].{0,80}?\bFTP\b/i],
  ["smtp", /^220[ -].{0,120}?\bE?SMTP\b[ -]*(Postfix|Exim|Sendmail|Haraka|OpenSMTPD)?(?:[ /]([\d.]+))?/i],
  ["pop3", /^\+OK\b(?:.{0,60}?\b(Dovecot|Courier)\b)?/i],
  ["imap", /^\* OK\b(?:.{0,200}?\b(Dovecot|Courier|Cyrus)\b)?/i],
  ["mysql", /^.{4}\n[\d.-]{5,40}-(MariaDB)/s],
  ["mysql", /^.{4}\n(\d+\.\d+\.\d+)/s],
  ["vnc", /^RFB \d{3}\.\d{3}\n/],
  ["rsync", /^@RSYNCD: [\d.]+/],
  ["telnet", /^\xff[\xfb-\xfe]/],
];

/** Servers as they name themselves over HTTP, and as others name them. */
const SERVERS: ReadonlyMap<string, string> = new Map([
  ["apache", "Apache httpd"],
  ["microsoft-iis", "Microsoft IIS httpd"],
]);

/** @param text the first bytes, one character for each; null if it is no known greeting */
export function greetingIn(text: string): Greeting | null {
  for (const [service, pattern] of GREETINGS) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, first = null, second = null] = found;
    // MySQL only has a version.
    if (service === "mysql" && first !== "MariaDB") return { service, product: "MySQL", version: first };
    return { service, product: first, version: second };
  }
  return null;
}

export interface Page extends Greeting {
  readonly title: string | null;
}

/** What the response to a request for the first page says; null if it is none of HTTP. @param text head and beginning of the body */
export function pageIn(text: string): Page | null {
  if (!/^HTTP\/1\.[01] \d{3}/.test(text)) return null;
  const head = text.split(/\r?\n\r?\n/, 1)[0] ?? "";
  const [, server = "", version = null] =
    /^server: *([^/\r\n(]{1,60}?)(?:\/([\w.+-]{1,40}))?(?:[ (].*)?\r?$/im.exec(head) ?? [];
  const [, title = ""] = /<title[^>]{0,200}>([^<]{1,1000})/i.exec(text) ?? [];
  const name = server.trim();
  return {
    service: "http",
    product: name === "" ? null : (SERVERS.get(name.toLowerCase()) ?? name),
    version,
    title: decoded(title).replaceAll(/\s+/g, " ").trim() || null,
  };
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function decoded(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,8}));/gi,
    (written, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? written;
      const code = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : written;
    },
  );
}
