/** How what listens with TCP is checked: by a page that it serves, or only by a connection. */
export const SCHEMES = ["https", "http", "tcp"] as const;
export type Scheme = (typeof SCHEMES)[number];
