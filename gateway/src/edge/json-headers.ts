import type { OutgoingHttpHeader } from "node:http";

// Headers that protect whoever shows an answer. They cost nothing to make, which is why helmet is left to the pages.

/** Names and values of headers by turns, which is what Node writes with the least work. */
export type Fields = readonly OutgoingHttpHeader[];

/** Names and values by turns of headers that are given by name. */
function fieldsOf(headers: Readonly<Record<string, string>>): Fields {
  return Object.entries(headers).flat();
}

/** Of every answer: nobody may take it for another type, show it inside a page, or embed it in another's. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** {@link SECURITY_HEADERS} by turns. */
export const SECURITY_FIELDS = fieldsOf(SECURITY_HEADERS);

/** Of an answer to one caller: nor may anybody store it. */
export const PRIVATE_FIELDS = ["Cache-Control", "no-store", ...SECURITY_FIELDS];

export const JSON_TYPE = "application/json; charset=utf-8";

/** Of every JSON answer. */
export const JSON_FIELDS = ["Content-Type", JSON_TYPE, ...PRIVATE_FIELDS];

const HTTPS_ONLY = ["Strict-Transport-Security", "max-age=31536000"];

/** Of every answer, pages included: where users reach the product by https, browsers shall not try http any more. */
export function everyAnswerFields(publicUrl: string | undefined): Fields {
  return publicUrl?.startsWith("https:") === true ? HTTPS_ONLY : [];
}
