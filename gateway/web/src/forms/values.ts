/** What an empty field means to the API: nothing. */
export function orNull(text: string): string | null {
  return text.trim() === "" ? null : text;
}
