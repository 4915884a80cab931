// Between moments as the API tells them and what an `<input type="datetime-local">` holds, which is in the browser's zone.

/** Such as `2026-01-31T09:30`; empty for no moment. */
export function localText(moment: string | null): string {
  if (moment === null) return "";
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The moment that such a text means; null for none. */
export function momentOf(text: string): string | null {
  return text === "" ? null : new Date(text).toISOString();
}
