// Numbers of addresses for humans, since IPv6 blocks have too many digits.

/** From here on, powers of ten are used. */
const READABLE = 1e12;
const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** Minimum percentage, for visibility. */
const LEAST = 1;

/** Such as `254` or `1.8 × 10¹⁹`. */
export function amountText(amount: number): string {
  if (amount < READABLE) return amount.toLocaleString("en");
  const [factor = "", power = ""] = amount.toExponential(1).split("e+");
  return `${factor} × 10${[...power].map((digit) => DIGITS[Number(digit)] ?? "").join("")}`;
}

interface Amounts {
  readonly size: number;
  readonly used: number;
  readonly reserved: number;
  readonly free: number;
}

/** Percentages of a bar. */
export function sharesOf({ size, used, reserved, free }: Amounts): Omit<Amounts, "size"> {
  const share = (amount: number): number => (amount === 0 ? 0 : Math.max(LEAST, (amount / size) * 100));
  const usedShare = share(used);
  const reservedShare = share(reserved);
  return { used: usedShare, reserved: reservedShare, free: free === 0 ? 0 : 100 - usedShare - reservedShare };
}
