/**
 * Attacks, by the names of their files, that the system does not stand yet. They are no part of `npm test`, and
 * `npm run test:attacks` fails for them only when they are asked for by name.
 */
export const PENDING: ReadonlySet<string> = new Set([
  "pool-holders",
  "scan-addresses-times-ports",
  "scan-many-subnets",
]);
