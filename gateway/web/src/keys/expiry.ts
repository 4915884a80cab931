import { localText, momentOf } from "../forms/moments.js";

// When a key ends: after a usual time, at a date, or never.

/** Usual lifetimes in days, by the value of the choice. */
const LIFETIMES = { month: 30, quarter: 90, year: 365 } as const;

export type ExpiryChoice = keyof typeof LIFETIMES | "date" | "never";

export const EXPIRY_CHOICES: readonly { readonly value: ExpiryChoice; readonly label: string }[] = [
  { value: "month", label: "In 30 days" },
  { value: "quarter", label: "In 90 days" },
  { value: "year", label: "In a year" },
  { value: "date", label: "On a date" },
  { value: "never", label: "Never" },
];

/** As in the form; `at` is the value of the field of the date. */
export interface Expiry {
  readonly choice: ExpiryChoice;
  readonly at: string;
}

/** @param moment of the key; null for none */
export function expiryOf(moment: string | null): Expiry {
  return { choice: moment === null ? "never" : "date", at: localText(moment) };
}

/** The moment to send. An unchanged one is sent as it is, even if it has passed. @param before of the key */
export function momentIn({ choice, at }: Expiry, before: string | null, now: Date): string | null {
  if (choice === "never") return null;
  if (choice === "date") return at === localText(before) ? before : momentOf(at);
  const end = new Date(now);
  end.setDate(end.getDate() + LIFETIMES[choice]);
  return end.toISOString();
}

/** Why it cannot be sent; null if it can. */
export function expiryFault({ choice, at }: Expiry): string | null {
  return choice === "date" && at === "" ? "Enter a date, or choose Never." : null;
}
