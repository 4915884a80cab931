/** Settings without rate limits for tests and benchmarks. */
export const UNLIMITED: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "RATE_LIMIT_PER_MINUTE",
    "RATE_LIMIT_BURST",
    "ANONYMOUS_RATE_LIMIT_PER_MINUTE",
    "ANONYMOUS_RATE_LIMIT_BURST",
    "MAILS_PER_ADDRESS",
    "REGISTRATIONS_PER_SITE",
  ].map((name) => [name, "1000000"]),
);
