import { folded } from "@nts/shared/contract/folding.rules";

// Hosts and services are numbered: people look for `Box 2` between `box 1` and `box 10`.

const NUMBER = /\d+/g;
const LEADING_ZEROS = /^0+(?=\d)/;
/** Lengths from here on are written with three digits behind it, so that they follow all shorter ones. */
const LONG = 9;

/**
 * A text whose order by code point is that of a name without differences of case and with numbers by value: before each
 * number stands its length, so that a longer one follows.
 */
export function naturalKey(name: string): string {
  return folded(name).replaceAll(NUMBER, (digits) => {
    const value = digits.replace(LEADING_ZEROS, "");
    return `${lengthMark(value.length)}${value}`;
  });
}

function lengthMark(length: number): string {
  return length < LONG ? String(length) : `${LONG}${String(length).padStart(3, "0")}`;
}
