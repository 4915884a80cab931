// Host names as they tell machines apart: DNS knows no upper and lower case, and what one source calls `nas`, another one
// calls `nas.home.example`.

/** What every machine calls itself. */
const LOOPBACK = "localhost";

/** A host name in lower case, without the dot of the root. */
function folded(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

/** What all writings of a host name have in common: its first label; null when it tells no machines apart. */
export function hostLabel(hostname: string | null): string | null {
  const [label = ""] = hostname === null ? [] : folded(hostname).split(".", 1);
  return label === "" || label === LOOPBACK ? null : label;
}

/** Whether two host names are one, and where they are not, whether they may be: only one of them has a domain. */
export function compareNames(a: string, b: string): "same" | "maybe" | "different" {
  const [one, other] = [folded(a), folded(b)];
  if (one === other) return "same";
  const isShort = (name: string): boolean => !name.includes(".");
  return isShort(one) !== isShort(other) && hostLabel(one) === hostLabel(other) ? "maybe" : "different";
}
