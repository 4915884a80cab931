import { HeaderList } from "./header-list.js";

/** Sent with every response: no content sniffing, framing or embedding by other origins. */
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

/** Of a response to one caller, which must not be cached. */
export const PRIVATE_FIELDS = HeaderList.of({ "Cache-Control": "no-store", ...SECURITY_HEADERS });

/** Of every JSON response. */
export const JSON_FIELDS = HeaderList.of({ "Content-Type": JSON_TYPE }).addAll(PRIVATE_FIELDS);

/** The request id header as sent in responses. */
export const RESPONSE_REQUEST_ID = "X-Request-Id";

/** Of every 401 (RFC 9110 § 11.6.1). Browsers show no dialog for this scheme. */
export const CHALLENGE_FIELD = "WWW-Authenticate";
export const CHALLENGE = "Bearer";

/** HSTS, for deployments whose public URL is https. */
export function commonFields(publicUrl: string | undefined): HeaderList {
  return HeaderList.of(
    publicUrl?.startsWith("https:") === true ? { "Strict-Transport-Security": "max-age=31536000" } : {},
  );
}
