import type { Role } from "@nts/shared/contract";

// Infers what a host is in its network. What is specific counts first: what it runs, then what its operating system is, then who made
// it, then what kind of system it is. Where nothing speaks for a role, there is none.

/** What is known of a host. */
export interface RoleEvidence {
  /** Of its network cards or of the machine. */
  readonly vendors: readonly string[];
  /** Name, version and type of device, as far as known. */
  readonly os: string | null;
  readonly model: string | null;
  /** Definitions of its services. */
  readonly services: readonly string[];
  /** Numbers of open TCP ports. */
  readonly ports: readonly number[];
}

/** Definitions that only one kind of device runs. */
const OF_SERVICE: readonly (readonly [Role, readonly string[]])[] = [
  ["Hypervisor", ["Proxmox VE", "VMware ESXi", "Microsoft Hyper-V"]],
  ["Firewall", ["OPNsense", "pfSense", "FortiGate", "Sophos Firewall"]],
  ["Nas", ["Synology DSM", "QNAP QTS", "TrueNAS", "Unraid", "openmediavault"]],
  ["Router", ["MikroTik RouterOS", "OpenWrt", "FRITZ!Box"]],
  ["AccessPoint", ["UniFi Access Point"]],
  ["Camera", ["ONVIF Camera"]],
  ["Phone", ["SIP Phone"]],
  ["Media", ["Chromecast", "Sonos"]],
  ["Mobile", ["iPhone"]],
  ["Iot", ["Tasmota", "Shelly", "WLED", "Philips Hue Bridge"]],
];

const OF_SYSTEM: readonly (readonly [Role, RegExp])[] = [
  ["Printer", /\bprinter\b|\bprint server\b/i],
  ["Camera", /\bwebcam\b|\b(?:ip|network|security) camera\b/i],
  ["Phone", /\bvoip (?:phone|adapter)\b|\bip phone\b/i],
  ["AccessPoint", /\bwap\b|\baccess point\b|\bunifi ap\b/i],
  ["Firewall", /\bfirewall\b|\bpfsense\b|\bopnsense\b|\bfortios\b/i],
  ["Switch", /\bswitch\b|\bprocurve\b|\bios-xe\b/i],
  ["Router", /\brouter(?:os)?\b|\bbroadband router\b|\bopenwrt\b|\bfritz!?os\b|\bvyos\b/i],
  ["Hypervisor", /\besxi?\b|\bproxmox\b|\bxenserver\b|\bhypervisor\b/i],
  ["Nas", /\bstorage-misc\b|\bdiskstation\b|\btruenas\b|\bfreenas\b|\bnas\b/i],
  ["Ups", /\bpower-device\b|\bups\b/i],
  ["Media", /\bmedia device\b|\btvos\b|\bchromecast\b|\bwebos\b|\btizen\b|\broku\b|\bgame console\b/i],
  ["Mobile", /\bios \d|\biphone\b|\bipados\b|\bipad\b|\bandroid\b/i],
  ["Server", /\bwindows server\b/i],
  ["Computer", /\bwindows (?:xp|vista|7|8|10|11)\b|\bmac ?os\b|\bos x\b/i],
];

/** Makers of one kind of device. */
const OF_VENDOR: readonly (readonly [Role, RegExp])[] = [
  ["Camera", /hikvision|dahua|\baxis comm|reolink|amcrest|vivotek|mobotix/i],
  ["Printer", /\bbrother ind|\bcanon\b|seiko epson|lexmark|kyocera|ricoh|xerox|konica/i],
  ["Phone", /yealink|snom|grandstream|polycom|gigaset/i],
  ["Nas", /synology|qnap|asustor|terramaster/i],
  ["Media", /sonos|roku|bose\b|denon|nvidia shield/i],
  ["Ups", /american power conversion|\bapc\b|schneider electric it|cyberpower/i],
  ["Router", /mikrotik|\bavm\b|\bavm gmbh|juniper|draytek|lancom/i],
  ["AccessPoint", /ruckus|aruba|aerohive|cambium/i],
  ["Iot", /espressif|shelly|allterco|tuya|signify|philips lighting|ikea of sweden|nest labs|ecobee|sonoff|itead/i],
];

/** Ports that hardly anything else opens. */
const OF_PORT: ReadonlyMap<number, Role> = new Map([
  [9100, "Printer"],
  [515, "Printer"],
  [631, "Printer"],
  [8291, "Router"],
  [37777, "Camera"],
  [8006, "Hypervisor"],
  [902, "Hypervisor"],
  [62078, "Mobile"],
]);

/** The probable role of a host; null if nothing speaks for one. */
export function roleOf({ vendors, os, model, services, ports }: RoleEvidence): Role | null {
  return (
    byService(services) ??
    byText(OF_SYSTEM, [os ?? "", model ?? ""]) ??
    byText(OF_VENDOR, vendors) ??
    byPort(ports, services) ??
    (services.length > 0 && /\blinux\b|\bbsd\b|\bunix\b|debian|ubuntu|fedora|centos|red hat/i.test(os ?? "")
      ? "Server"
      : null)
  );
}

function byService(services: readonly string[]): Role | null {
  return OF_SERVICE.find(([, names]) => names.some((name) => services.includes(name)))?.[0] ?? null;
}

/** Services of a printer at most. */
const MOST_OF_A_PRINTER = 6;

function byText(patterns: readonly (readonly [Role, RegExp])[], texts: readonly string[]): Role | null {
  return patterns.find(([, pattern]) => texts.some((text) => pattern.test(text)))?.[0] ?? null;
}

/** Printers take jobs there, and servers give Prometheus their metrics. */
const RAW_PRINTING = 9100;
const OTHER_PRINTING = [515, 631] as const;
const SSH = 22;

function isForMetrics(ports: readonly number[], services: readonly string[]): boolean {
  const printsOtherwise = OTHER_PRINTING.some((number) => ports.includes(number));
  return services.includes("Prometheus Node Exporter") || (ports.includes(SSH) && !printsOtherwise);
}

function byPort(open: readonly number[], services: readonly string[]): Role | null {
  const ports = isForMetrics(open, services) ? open.filter((number) => number !== RAW_PRINTING) : open;
  const role = ports.map((number) => OF_PORT.get(number)).find((one) => one !== undefined) ?? null;
  // A server that prints for others has other services, too.
  return role === "Printer" && services.length > MOST_OF_A_PRINTER ? null : role;
}
