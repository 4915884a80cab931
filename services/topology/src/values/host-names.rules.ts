// Compares hostnames as identities: case-insensitively, and `nas` may equal `nas.home.example`.

/** Names that every machine uses for itself. */
const LOOPBACK = "localhost";

/** A hostname in lower case, without trailing dot. */
function folded(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, "");
}

/** The first label, common to all forms of a hostname; null if it identifies no machine. */
export function hostLabel(hostname: string | null): string | null {
  const [label = ""] = hostname === null ? [] : folded(hostname).split(".", 1);
  return label === "" || label === LOOPBACK ? null : label;
}

/** Whether two hostnames are equal, or may be because only one has a domain. */
export function compareNames(a: string, b: string): "same" | "maybe" | "different" {
  const one = folded(a);
  const other = folded(b);
  if (one === other) return "same";
  const isShort = (name: string): boolean => !name.includes(".");
  return isShort(one) !== isShort(other) && hostLabel(one) === hostLabel(other) ? "maybe" : "different";
}
