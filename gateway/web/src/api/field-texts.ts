// Members of the API as people call them: labels of fields, and what is wrong with them.

const NAMES: Readonly<Record<string, string>> = {
  cidr: "Range (CIDR)",
  color: "Colour",
  ip_address: "IP address",
  mac_address: "MAC address",
  network_id: "Network",
  network_ids: "Networks",
  subnet_id: "Subnet",
  host_id: "Host",
  port_id: "Port",
  interface_id: "Interface",
  interface_ids: "Interfaces",
  missed_since: "Not seen since",
  service_definition: "Type",
  subnet_type: "Type",
  permissions: "Role",
  url: "URL",
  vid: "Number",
  other_id: "Other host",
  expires_in_hours: "Expires after",
  from: "First address",
  to: "Last address",
  allowed_ips: "Allowed addresses",
  expires_at: "Expires",
  rate_limit_per_minute: "Requests per minute",
  "observed.os": "Operating system",
  "observed.cpe": "CPE",
};
const OBSERVED = /^observed\./;

/** The label of a member, such as `IP address`. */
export function fieldText(name: string): string {
  const known = NAMES[name];
  if (known !== undefined) return known;
  const words = name.replace(OBSERVED, "").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The label of a place in a body, such as `Reserved 1, first address`; empty for the body itself. */
export function placeText(path: string): string {
  const parts: string[] = [];
  for (const segment of path.split(".").filter((one) => one !== ""))
    if (/^\d+$/.test(segment) && parts.length > 0) parts.push(`${parts.pop() ?? ""} ${Number(segment) + 1}`);
    else parts.push(parts.length === 0 ? fieldText(segment) : lowered(fieldText(segment)));
  return parts.join(", ");
}

/** Abbreviations stay as they are. */
function lowered(text: string): string {
  return text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}

/** What the API says of fields for which the console knows what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  "must be an IPv4 or IPv6 address": "Enter an IPv4 or IPv6 address.",
  "must be an IPv4 or IPv6 address, or `next`": "Enter an IPv4 or IPv6 address.",
  "must be an IPv4 or IPv6 block in CIDR notation": "Enter a range such as 10.0.10.0/24 or fd00:10::/64.",
};

const TOO_SHORT = /^must have at least (\d+) characters$/;

/** What the API says of a member that is chosen, when nothing is. */
const LACKING: ReadonlySet<string> = new Set(["is required", "must be a UUID", "must be text"]);

/** A fault, which follows the name of its field in the API, as a sentence beside the field. */
export function faultSentence(path: string, fault: string): string {
  const advice = ADVICE[fault];
  if (advice !== undefined) return advice;
  const least = TOO_SHORT.exec(fault)?.[1];
  if (least !== undefined) return `Enter at least ${least} characters.`;
  if (LACKING.has(fault) && path.endsWith("_id")) return `Choose ${withArticle(lowered(fieldText(lastOf(path))))}.`;
  const text = /^(is|must|may|has|cannot|does|looks)\b/.test(fault)
    ? `This ${fault}`
    : `${fault.charAt(0).toUpperCase()}${fault.slice(1)}`;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** The same away from the field, such as `Name must not be empty.` or `Subnet: Choose a subnet.` */
export function faultLine(path: string, sentence: string): string {
  const place = placeText(path);
  if (place === "") return sentence;
  return sentence.startsWith("This ") ? `${place} ${sentence.slice("This ".length)}` : `${place}: ${sentence}`;
}

function lastOf(path: string): string {
  return path.split(".").at(-1) ?? "";
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}
