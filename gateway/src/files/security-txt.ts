/** `/.well-known/security.txt` (RFC 9116): whom to tell about a vulnerability of this installation. */
import { SECURITY_HEADERS } from "../edge/response-headers.js";
import { HeaderList } from "../edge/header-list.js";
import { servedFile, type ServedFile } from "./served-file.js";

export const SECURITY_TXT = "/.well-known/security.txt";

const DAY_MS = 86_400_000;
/** The contact is current as long as the gateway runs; the RFC recommends less than a year. */
const VALID_DAYS = 90;

export interface SecurityTxtOptions {
  /** The URIs at which to report: `mailto:` or `https:`, the preferred one first. */
  readonly contacts: readonly string[];
  readonly publicUrl: string | undefined;
}

/** Returns the file of today; null if there is no contact. */
export function createSecurityTxt({ contacts, publicUrl }: SecurityTxtOptions): () => ServedFile | null {
  let day = Number.NaN;
  let file: ServedFile | null = null;
  return () => {
    if (contacts.length === 0) return null;
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== day || file === null) {
      day = today;
      file = fileOf(contacts, publicUrl, new Date((today + VALID_DAYS) * DAY_MS));
    }
    return file;
  };
}

function fileOf(contacts: readonly string[], publicUrl: string | undefined, expires: Date): ServedFile {
  const canonical =
    publicUrl?.startsWith("https:") === true ? [`Canonical: ${new URL(SECURITY_TXT, publicUrl).href}`] : [];
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    ...canonical,
  ];
  return servedFile(Buffer.from(`${lines.join("\n")}\n`), {
    contentType: "text/plain; charset=utf-8",
    cacheControl: "public, max-age=3600",
    headers: HeaderList.of(SECURITY_HEADERS),
  });
}
