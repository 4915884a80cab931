/** NAME=value lines, and documented defaults: # NAME=value. */
export function settingsIn(text: string): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)) settings[name] = value;
  return settings;
}
