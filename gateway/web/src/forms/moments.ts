// Conversion between API times and the values of `<input type="datetime-local">`, which are in local time.

/** Such as `2026-01-31T09:30`; empty for null. */
export function localText(moment: string | null): string {
  if (moment === null) return "";
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function momentOf(text: string): string | null {
  return text === "" ? null : new Date(text).toISOString();
}
