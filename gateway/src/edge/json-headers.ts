/**
 * Headers of every JSON answer: nobody may store it, read it as another type, or show it inside a page. They cost
 * nothing to make, which is why helmet is left to the pages.
 */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};
