import type { Envelope } from "./api.js";

/** A response from a raw socket. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; the last of several. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Partial<Envelope>;
}

/**
 * Parses the bytes of a connection into responses with a length, without interim responses. @throws Error when there is
 * anything else
 */
export function parseResponses(bytes: string): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  while (rest !== "") {
    const [all, status = "", lines = ""] = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest) ?? [];
    if (all === undefined) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 300))}`);
    const fields = Object.fromEntries(lines.split("\r\n").map((line) => fieldIn(line)));
    const end = all.length + Number(fields["content-length"] ?? 0);
    if (rest.length < end) throw new Error(`an incomplete response: ${JSON.stringify(rest.slice(0, 300))}`);
    const text = rest.slice(all.length, end);
    if (!status.startsWith("1"))
      responses.push({
        status: Number(status),
        fields,
        body: (text === "" ? {} : JSON.parse(text)) as Partial<Envelope>,
      });
    rest = rest.slice(end);
  }
  return responses;
}

function fieldIn(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
