import { Resolver } from "node:dns/promises";
import { forEach, type Pace } from "./pace.js";

const AT_A_TIME = 32;
const TIMEOUT_MS = 1_000;

/** The names of addresses in the DNS, as this machine's resolver knows them. */
export async function namesOf(addresses: readonly string[], pace: Pace): Promise<ReadonlyMap<string, string>> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  const found = new Map<string, string>();
  await forEach(addresses, AT_A_TIME, async (ip) => {
    await pace();
    const [name] = await resolver.reverse(ip).catch(() => []);
    if (name !== undefined) found.set(ip, name);
  });
  return found;
}
