import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { Replica } from "./replicas.js";

/** What a base URL resolves to: one replica, or one per address of its name. */
export type Target =
  | { readonly name: null; readonly replica: Replica }
  | { readonly name: string; readonly replicaAt: (address: string) => Replica };

/** @param url a base URL such as `http://topology:8082` */
export function targetOf(url: string): Target {
  const { origin, protocol, host, hostname, port } = new URL(url);
  if (isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0) return { name: null, replica: { origin, host } };
  const replicaAt = (address: string): Replica => {
    const bracketed = isIP(address) === 6 ? `[${address}]` : address;
    return { origin: `${protocol}//${bracketed}${port === "" ? "" : `:${port}`}`, host };
  };
  return { name: hostname, replicaAt };
}

/**
 * The addresses of a name, ascending; only IPv4 if there is any, because dual-stack processes would count twice.
 *
 * @throws the system's error, such as ENOTFOUND
 */
export async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true });
  const family = found.some((one) => one.family === 4) ? 4 : 6;
  return [...new Set(found.filter((one) => one.family === family).map(({ address }) => address))].sort();
}
