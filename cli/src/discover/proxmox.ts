import { askJson, Refused } from "./ask-json.js";
import type { ReportedFile } from "./files.rules.js";
import type { Pace } from "./pace.js";
import type { ProxmoxSystem } from "./settings.js";

// Guests and nodes of a Proxmox VE cluster, by its API with a token of the role PVEAuditor.
// https://pve.proxmox.com/pve-docs/api-viewer/

const MOST_GUESTS = 2_000;

interface Resource {
  readonly type?: string;
  readonly node?: string;
  readonly vmid?: number;
  readonly status?: string;
  readonly template?: number;
}

/**
 * @param note gets what could not be read
 * @throws Unavailable
 */
export async function askProxmox(
  system: ProxmoxSystem,
  {
    pace,
    signal,
    note,
  }: { readonly pace: Pace; readonly signal: AbortSignal; readonly note: (reason: string) => void },
): Promise<ReportedFile> {
  const headers = { authorization: `PVEAPIToken=${system.token}` };
  const ask = async (path: string): Promise<unknown> => {
    await pace();
    const response = (await askJson(system, `/api2/json${path}`, headers, signal)) as { readonly data?: unknown };
    return response.data ?? null;
  };
  const resources = (await ask("/cluster/resources")) as readonly Resource[];
  const responses: unknown[] = [resources, await ask("/cluster/status")];
  const guests = resources.filter(
    ({ type, status, template }) => (type === "qemu" || type === "lxc") && status === "running" && template !== 1,
  );
  let hasAgent = 0;
  for (const { type = "", node = "", vmid = 0 } of guests.slice(0, MOST_GUESTS)) {
    const guest = `/nodes/${encodeURIComponent(node)}/${type}/${vmid}`;
    const config = await answered(ask(`${guest}/config`));
    const interfaces = await answered(ask(guest + (type === "lxc" ? "/interfaces" : "/agent/network-get-interfaces")));
    responses.push(...[config, interfaces].filter((one) => one !== null));
    if (type === "qemu" && interfaces !== null) hasAgent++;
  }
  const machines = guests.filter(({ type }) => type === "qemu").length;
  if (hasAgent < machines)
    note(
      `${machines - hasAgent} of ${machines} virtual machines have no guest agent that may be asked for their addresses.`,
    );
  if (guests.length > MOST_GUESTS) note(`Only ${MOST_GUESTS} of ${guests.length} guests were asked.`);
  const text = responses.map((one) => `${JSON.stringify(one)}\n`).join("");
  return { format: "proxmox", name: `proxmox ${new URL(system.url).host}`, text };
}

/** Null for guests without an agent, and those that have just stopped. */
async function answered(asking: Promise<unknown>): Promise<unknown> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
