// How many addresses, for people: the large blocks of IPv6 have more than anybody reads digit by digit.

/** From here on a power of ten says more than the digits. */
const READABLE = 1e12;
const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
/** Percent that a part has at least, to be seen at all. */
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

/** How much of a bar each part takes, in percent. */
export function sharesOf({ size, used, reserved, free }: Amounts): Omit<Amounts, "size"> {
  const share = (amount: number): number => (amount === 0 ? 0 : Math.max(LEAST, (amount / size) * 100));
  const [usedShare, reservedShare] = [share(used), share(reserved)];
  return { used: usedShare, reserved: reservedShare, free: free === 0 ? 0 : 100 - usedShare - reservedShare };
}
