// Headers that protect whoever shows an answer. They cost nothing to make, which is why helmet is left to the pages.

/** Of every answer that is no page: nobody may take it for another type, show it inside a page, or embed it in another's. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Of every JSON answer: nor may anybody store it. */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  ...SECURITY_HEADERS,
};

const HTTPS_ONLY = { "Strict-Transport-Security": "max-age=31536000" };

/** Of every answer, pages included: where users reach the product by https, browsers shall not try http any more. */
export function everyAnswerHeaders(publicUrl: string | undefined): Readonly<Record<string, string>> {
  return publicUrl?.startsWith("https:") === true ? HTTPS_ONLY : {};
}
