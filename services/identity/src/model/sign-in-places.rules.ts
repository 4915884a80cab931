// Places of earlier sign-ins, stored as hashes: recognizable, but not readable.

/** Something seen at a sign-in, and when last. */
export interface Seen {
  readonly hash: string;
  readonly at: Date;
}

/** The known sign-ins of a user. */
export interface KnownPlaces {
  readonly addresses: readonly Seen[];
  readonly browsers: readonly Seen[];
  /** When the user was notified, latest first. */
  readonly told: readonly Date[];
}

/** Per kind; the oldest are dropped. */
const MOST_KEPT = 50;
const MOST_NOTICES_A_DAY = 5;
const DAY_MS = 86_400_000;

/** A sign-in, as hashes. */
export interface SignInAt {
  readonly address: string;
  readonly browser: string;
  readonly now: Date;
}

/**
 * Updates the known places, and decides whether to notify the user of a new address or browser: not of the first place,
 * and at most five times a day.
 *
 * @param known null at the first sign-in
 */
export function afterSignIn(
  known: KnownPlaces | null,
  { address, browser, now }: SignInAt,
): { readonly known: KnownPlaces; readonly isNotified: boolean } {
  const { addresses = [], browsers = [], told = [] } = known ?? {};
  const isNew = !addresses.some(({ hash }) => hash === address) || !browsers.some(({ hash }) => hash === browser);
  const lately = told.filter((at) => now.getTime() - at.getTime() < DAY_MS);
  const isNotified = known !== null && isNew && lately.length < MOST_NOTICES_A_DAY;
  return {
    isNotified,
    known: {
      addresses: seenNow(addresses, address, now),
      browsers: seenNow(browsers, browser, now),
      told: isNotified ? [now, ...lately] : lately,
    },
  };
}

/** A browser without its version, which changes every few weeks. */
export function withoutVersion(browser: string): string {
  return browser.replace(/ \d+(?= on )/, "").replace(/\/[\d.]+.*$/, "");
}

function seenNow(seen: readonly Seen[], hash: string, at: Date): Seen[] {
  return [{ hash, at }, ...seen.filter((one) => one.hash !== hash)].slice(0, MOST_KEPT);
}
