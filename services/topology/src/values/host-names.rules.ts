// Compares hostnames as identities: case-insensitively, and `nas` may equal `nas.home.example`.

/** Names that every machine uses for itself. */
const LOOPBACK = "localhost";

/** Names that systems and devices come with, so that several have them. */
const DEFAULT =
  /^(?:raspberrypi\d?|ubuntu|ubuntu-server|debian|fedora|centos|rocky|almalinux|kali|alpine|archlinux|manjaro|linux|openwrt|dietpi|octopi|retropie|orangepi.*|nanopi.*|bananapi.*|beaglebone|jetson|jetson-nano|freebsd|opnsense|pfsense|iphone|ipad|ipod|ipod-touch|android|galaxy|macbook|macbook-air|macbook-pro|imac|mac-mini|apple-tv|windows|win1[01]|template|esp32|esp8266|espressif)$/;

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

/** Whether a hostname is one that many machines have, because nobody has given them another one. */
export function isDefaultName(hostname: string): boolean {
  return DEFAULT.test(hostLabel(hostname) ?? "");
}
