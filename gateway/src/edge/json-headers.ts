/**
 * Headers of every JSON answer: nobody may store it, read it as another type, or show it inside a page. They cost
 * nothing to make, which is why helmet is left to the pages.
 */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
};
