import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { portsIn } from "./ports.js";
import { NMAP_PROFILES } from "./nmap.js";
import { type Sense, SENSES } from "./senses.js";
import { credentialsOf, type SnmpCredential, SnmpFile } from "./snmp-credentials.js";

// Settings of the senses, in a file of the collector's machine that only its owner can read: it has credentials, which are sent to
// the systems that they are for, and never to the server.

const OTHERS_MAY_READ = 0o077;
const MOST_SYSTEMS = 20;

const Reached = {
  url: z.url({ protocol: /^https?$/ }),
  /** SHA-256 of the only certificate that is accepted, as `openssl x509 -fingerprint -sha256` prints it. */
  fingerprint: z
    .string()
    .regex(/^[\da-fA-F]{2}(?::?[\da-fA-F]{2}){31}$/)
    .optional(),
  /** Any certificate is accepted, and HTTP. */
  insecure: z.boolean().default(false),
};

const File = z.strictObject({
  off: z.array(z.enum(SENSES)).default([]),
  ports: z
    .string()
    .refine((text) => portsIn(text) !== null)
    .optional(),
  leases: z.array(z.string().min(1)).max(100).default([]),
  snmp: SnmpFile.optional(),
  nmap: z.strictObject({ profile: z.enum(NMAP_PROFILES) }).optional(),
  /** A token such as `watcher@pve!nts=01234567-89ab-cdef-0123-456789abcdef`. */
  proxmox: z
    .array(z.strictObject({ ...Reached, token: z.string().regex(/^[^\s@!=]+@[^\s@!=]+![^\s@!=]+=\S+$/) }))
    .max(MOST_SYSTEMS)
    .default([]),
  unifi: z
    .array(z.strictObject({ ...Reached, api_key: z.string().min(1) }))
    .max(MOST_SYSTEMS)
    .default([]),
});

/** A system that is asked over HTTPS. */
export interface Reachable {
  readonly url: string;
  readonly fingerprint?: string | undefined;
  readonly insecure: boolean;
}

export type ProxmoxSystem = Reachable & { readonly token: string };
export type UnifiSystem = Reachable & { readonly api_key: string };

export interface SenseSettings extends Omit<z.infer<typeof File>, "snmp" | "ports"> {
  readonly ports: readonly number[] | null;
  readonly snmp: readonly SnmpCredential[];
}

/** Why senses are not used, as sentences. */
export function whyOff({ off, snmp, nmap, proxmox, unifi }: SenseSettings): ReadonlyMap<Sense, string> {
  const without: readonly (readonly [Sense, boolean])[] = [
    ["snmp", snmp.length === 0],
    ["nmap", nmap === undefined],
    ["proxmox", proxmox.length === 0],
    ["unifi", unifi.length === 0],
  ];
  const unset = without.flatMap(([name, isWithout]) => (isWithout ? [name] : []));
  return new Map([
    ...unset.map((name) => [name, "It has no settings on this machine."] as const),
    ...off.map((name) => [name, "It is switched off in the settings of this machine."] as const),
  ]);
}

export const NO_SETTINGS: SenseSettings = {
  ...{ off: [], ports: null, leases: [], snmp: [], proxmox: [], unifi: [] },
};

/** @returns the settings, or a sentence that says what is wrong with them, without their values */
export async function readSenseSettings(path: string): Promise<SenseSettings | string> {
  try {
    if (((await stat(path)).mode & OTHERS_MAY_READ) !== 0) return `${path} can be read by others: chmod 600 ${path}`;
    const parsed = File.safeParse(JSON.parse(await readFile(path, "utf8")));
    if (!parsed.success) {
      const [first] = parsed.error.issues;
      const at = first?.path.join(".") ?? "";
      const unknown = first?.code === "unrecognized_keys" ? ` (there is no ${first.keys.join(", ")})` : "";
      return `${path}: ${at === "" ? "it" : at} is not as documented in docs/discovery.md${unknown}.`;
    }
    const { snmp, ports, ...rest } = parsed.data;
    const unsafe = [...rest.proxmox, ...rest.unifi].find(({ url, insecure }) => url.startsWith("http:") && !insecure);
    if (unsafe !== undefined)
      return `${path}: ${new URL(unsafe.url).origin} is not encrypted: use https, or say "insecure": true.`;
    return {
      ...rest,
      ports: ports === undefined ? null : portsIn(ports),
      snmp: snmp === undefined ? [] : credentialsOf(snmp),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === undefined ? `${path} is not JSON.` : `${path} cannot be read (${code}).`;
  }
}
