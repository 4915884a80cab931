const LONGEST = 60;

/**
 * The organization's name for a mail to a stranger; null if mail clients would turn it into a link, as anyone could
 * advertise that way.
 */
export function harmlessName(name: string): string | null {
  if (name.length > LONGEST || /[/@\\]|\p{L}[.。]\p{L}|www/iu.test(name)) return null;
  return name;
}
