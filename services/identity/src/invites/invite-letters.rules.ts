const LONGEST = 60;

/**
 * The name of an organization as it may stand in a mail to a stranger; null for one that a mail program would make a link of. Anybody
 * can name an organization, and must not advertise with our mail.
 */
export function harmlessName(name: string): string | null {
  if (name.length > LONGEST || /[/@\\]|\p{L}[.。]\p{L}|www/iu.test(name)) return null;
  return name;
}
