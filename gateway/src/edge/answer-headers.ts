import { HeaderList } from "./header-list.js";

/** Of every answer: nobody may take it for another type, show it inside a page, or embed it in another's. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

export const JSON_TYPE = "application/json; charset=utf-8";

/** {@link SECURITY_HEADERS}, to be copied. */
export const SECURITY_FIELDS = HeaderList.of(SECURITY_HEADERS);

/** Of an answer to one caller: nor may anybody store it. */
export const PRIVATE_FIELDS = HeaderList.of({ "Cache-Control": "no-store", ...SECURITY_HEADERS });

/** Of every JSON answer. */
export const JSON_FIELDS = HeaderList.of({ "Content-Type": JSON_TYPE }).addAll(PRIVATE_FIELDS);

/** The header with the request id, as answers show it. */
export const ANSWERED_REQUEST_ID = "X-Request-Id";

/** Of every answer, pages included: where users reach the product by https, browsers shall not try http any more. */
export function everyAnswerFields(publicUrl: string | undefined): HeaderList {
  return HeaderList.of(
    publicUrl?.startsWith("https:") === true ? { "Strict-Transport-Security": "max-age=31536000" } : {},
  );
}
