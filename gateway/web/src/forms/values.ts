/** Null for an empty field. */
export function orNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}
