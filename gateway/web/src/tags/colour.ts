/** For texts that are no colours. */
export const NEUTRAL = "var(--mantine-color-gray-5)";

/** The CSS colour for the colour of a tag, which was any text once; only what the browser takes for a colour becomes a style. */
export function shownColour(text: string, isColour = (it: string) => CSS.supports("color", it)): string {
  return isColour(text) ? text : NEUTRAL;
}
