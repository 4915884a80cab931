import { isObject, type JsonObject, listAt, textAt } from "./json.js";
import { addressIn, macIn } from "./texts.js";

// Proxmox VE responses about one guest: its configuration, and its interfaces from the guest agent or the container's
// node.

const NET = /^net(\d{1,2})$/;
const MOST_LINKS = 1_000;
const MOST_ADDRESSES = 100;

/** A configured network device. */
export interface Card {
  readonly mac: string | null;
  /** Static addresses. */
  readonly ips: readonly string[];
}

export interface Config {
  /** As written. */
  readonly name: string;
  readonly isTemplate: boolean;
  /** What it is said to run, such as `l26` or `debian`. */
  readonly system: string | null;
  readonly cards: readonly Card[];
}

/** A network interface inside a guest. */
export interface Link {
  readonly name: string;
  readonly mac: string;
  /** As written. */
  readonly addresses: readonly string[];
}

/** Parses the configuration of a guest; null for anything else. */
export function configIn(value: unknown): Config | null {
  if (!isObject(value)) return null;
  const nets = Object.keys(value).filter((name) => NET.test(name));
  if (nets.length === 0 && typeof value["digest"] !== "string") return null;
  return {
    name: textAt(value, "name") || textAt(value, "hostname"),
    isTemplate: value["template"] === 1,
    system: systemIn(textAt(value, "ostype")),
    cards: nets.map((net) => cardIn(value, net)),
  };
}

/** Operating systems by the values of `ostype`. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["l24", "Linux"],
  ["l26", "Linux"],
  ["solaris", "Solaris"],
  ["wxp", "Windows XP"],
  ["w2k", "Windows 2000"],
  ["w2k3", "Windows Server 2003"],
  ["w2k8", "Windows Server 2008"],
  ["wvista", "Windows Vista"],
  ["win7", "Windows 7"],
  ["win8", "Windows 8"],
  ["win10", "Windows 10"],
  ["win11", "Windows 11"],
  ["debian", "Debian"],
  ["devuan", "Devuan"],
  ["ubuntu", "Ubuntu"],
  ["centos", "CentOS"],
  ["fedora", "Fedora"],
  ["opensuse", "openSUSE"],
  ["archlinux", "Arch Linux"],
  ["alpine", "Alpine Linux"],
  ["gentoo", "Gentoo"],
  ["nixos", "NixOS"],
]);

function systemIn(type: string): string | null {
  return SYSTEMS.get(type) ?? null;
}

function cardIn(config: JsonObject, net: string): Card {
  const own = settingsIn(textAt(config, net));
  // Virtual machines have cloud-init addresses in a separate setting, and the device model as a key.
  const cloudInit = settingsIn(textAt(config, net.replace("net", "ipconfig")));
  const written = [own, cloudInit].flatMap((settings) => [settings.get("ip") ?? "", settings.get("ip6") ?? ""]);
  const mac =
    macIn(own.get("hwaddr") ?? "") ?? [...own.values()].map((text) => macIn(text)).find((one) => one !== null);
  return { mac: mac ?? null, ips: written.flatMap((text) => addressIn(text.split("/", 1)[0] ?? "") ?? []) };
}

/** Parses settings such as `virtio=BC:24:11:AA:BB:CC,bridge=vmbr0`. */
function settingsIn(text: string): ReadonlyMap<string, string> {
  const parts = text.slice(0, 1_000).split(",");
  return new Map(
    parts.map((part) => {
      const at = part.indexOf("=");
      return [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()] as const;
    }),
  );
}

/** Parses the interfaces of a guest; null for anything else. */
export function linksIn(value: unknown): Link[] | null {
  const list = isObject(value) && Array.isArray(value["result"]) ? (value["result"] as unknown[]) : value;
  if (!Array.isArray(list) || list.length === 0) return null;
  const links = list.slice(0, MOST_LINKS).map((entry) => (isObject(entry) ? linkIn(entry) : null));
  return links.every((link) => link !== null) ? links : null;
}

function linkIn(entry: JsonObject): Link | null {
  const mac = textAt(entry, "hardware-address") || textAt(entry, "hwaddr");
  const entries = listAt(entry, "ip-addresses").slice(0, MOST_ADDRESSES);
  const listed = entries.flatMap((one) => (isObject(one) ? [textAt(one, "ip-address")] : []));
  const isLink = mac !== "" || listed.length > 0 || "inet" in entry;
  // Containers may have several addresses in one string.
  const own = ["inet", "inet6"].flatMap((name) => textAt(entry, name).split(/\s+/, MOST_ADDRESSES));
  return isLink
    ? { name: textAt(entry, "name"), mac, addresses: [...listed, ...own].filter((text) => text !== "") }
    : null;
}
