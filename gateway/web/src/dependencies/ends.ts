import type { Dependency, Host } from "@nts/shared/contract";
import { portText } from "../parts/socket-texts.js";

// What the ends of a dependency are called on the page of one of its hosts.

export interface NeedRow {
  readonly id: string;
  readonly dependency: Dependency;
  /** Whether the host of the page is the client. */
  readonly uses: boolean;
  /** What is at this end: a service or process; empty for the host itself. */
  readonly here: string;
  readonly otherId: string;
  /** Undefined until it is read. */
  readonly other: Host | undefined;
  /** The service, process or port at the other end; empty for the host itself. */
  readonly there: string;
}

/** Whose dependencies they are: a host with all that is on it, or one service. */
export interface Subject {
  readonly host: Host;
  readonly serviceId: string | null;
}

/** What it is used by comes first. */
export function rowsOf(
  { host, serviceId }: Subject,
  dependencies: readonly Dependency[],
  others: readonly Host[],
): NeedRow[] {
  const hosts = new Map([host, ...others].map((one) => [one.id, one]));
  const rows = dependencies.map((dependency): NeedRow => {
    const { id, client, server } = dependency;
    const uses = serviceId === null ? client.host_id === host.id : client.service_id === serviceId;
    const clientText = textOf(hosts.get(client.host_id), client);
    const serverText = textOf(hosts.get(server.host_id), server);
    const otherId = uses ? server.host_id : client.host_id;
    return {
      ...{ id, dependency, uses, otherId, other: hosts.get(otherId) },
      here: uses ? clientText : serverText,
      there: uses ? serverText : clientText,
    };
  });
  return [...rows.filter(({ uses }) => !uses), ...rows.filter(({ uses }) => uses)];
}

interface End {
  readonly service_id: string | null;
  readonly process?: string | null;
  readonly port_id?: string | null;
}

/** Such as `nas: Photos at 443/tcp`. */
export function endText(host: Host | undefined, end: End): string {
  return [host?.name ?? "…", textOf(host, end)].filter((text) => text !== "").join(": ");
}

function textOf(host: Host | undefined, { service_id, process = null, port_id = null }: End): string {
  const service = host?.services.find(({ id }) => id === service_id)?.name;
  const port = host?.ports.find(({ id }) => id === port_id);
  const at = port === undefined ? "" : portText(port);
  return [service ?? process ?? "", at].filter((text) => text !== "").join(" at ");
}

/** How many {@link stopsText} names. */
export const NAMED = 4;

/** Such as "Stops as well: web, shop and 3 more." */
export function stopsText(names: readonly string[], total: number): string {
  if (total === 0) return "";
  const listed = names.slice(0, NAMED);
  const more = total - listed.length;
  return `Stops as well: ${listed.join(", ")}${more > 0 ? ` and ${more.toLocaleString("en-GB")} more` : ""}.`;
}
