import { describe, expect, it } from "@jest/globals";
import { createSession } from "../session.js";
import { MAKERS } from "../testing/sightings.js";
import { type Cable, createWiredNetwork, type End, type WiredNetwork } from "../testing/wired/network.js";
import { createRandom } from "../testing/wired/random.js";
import { type ToldFile, toldOf } from "../testing/wired/walks.js";
import type { PlannedLink } from "./plan.rules.js";

const NETWORKS = Number(process.env["LINK_NETWORKS"] ?? 3);
const SEED = Number(process.env["SEED"] ?? 1);
const LEAST_FOUND = 0.95;
const CHARACTERS_OF_PART = 10_000;

/** A report of a collector with files. */
function reportOf(files: readonly ToldFile[]): string {
  const parts = files.flatMap(({ format, name, text }) => {
    const of = Math.ceil(text.length / CHARACTERS_OF_PART);
    return Array.from({ length: of }, (_, n) => ({
      file: { format, name, part: n + 1, of, text: text.slice(n * CHARACTERS_OF_PART, (n + 1) * CHARACTERS_OF_PART) },
    }));
  });
  return [{ report: 1, program: "test", started_at: "2026-02-16T09:30:00Z" }, ...parts, { end: {} }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

interface Found {
  readonly links: readonly PlannedLink[];
  readonly names: ReadonlyMap<string, string>;
}

/** What an import into an empty network makes of files. */
function importOf(files: readonly ToldFile[], { machines }: WiredNetwork): Found {
  const session = createSession(MAKERS);
  const now = "2026-02-16T09:30:00.000Z";
  const bytes = new TextEncoder().encode(reportOf(files));
  session.read([bytes], { networkId: "network", hints: [], format: "auto", nowMs: Date.parse(now), named: null });
  const { jobs } = session.settle([]);
  for (let index = 0; index < jobs; index++) session.plan(index, { now, known: null, interfaces: [] });
  session.resolve([]);
  const { links } = session.planLinks({ links: [], interfaces: [], vlans: [] }, []);
  const hubs = links.flatMap((link) => link.hubs.map(({ id, name }) => [id, name] as const));
  const named = new Map(machines.map(({ ip, name }) => [ip, name]));
  const names = [...session.factsOfNew()].map(([id, { name }]) => [id, named.get(name) ?? name] as const);
  return { links, names: new Map([...names, ...hubs]) };
}

/** How an end of a found link is called: an unmanaged switch after the port above it. */
function nameOf({ machine }: End, { cables }: WiredNetwork): string {
  if (machine.kind !== "unmanaged") return machine.name;
  const above = cables.find(({ ends }) => ends[1].machine === machine)?.ends[0];
  return `Unmanaged switch or access point at ${above?.machine.name ?? ""} ${above?.port ?? ""}`;
}

function isAt({ host_id, port }: PlannedLink["ends"][number], end: End, { names, network }: Truth): boolean {
  const short = port?.replace("GigabitEthernet", "Gi") ?? null;
  return names.get(host_id) === nameOf(end, network) && (short === null || short === end.port || short === end.lag);
}

interface Truth {
  readonly names: Found["names"];
  readonly network: WiredNetwork;
}

/** The cable that a link is; undefined if there is none. */
function cableOf({ ends: [one, other] }: PlannedLink, truth: Truth): Cable | undefined {
  return truth.network.cables.find(
    ({ ends: [upper, lower] }) =>
      (isAt(one, upper, truth) && isAt(other, lower, truth)) || (isAt(one, lower, truth) && isAt(other, upper, truth)),
  );
}

describe("links of random switched networks", () => {
  it(`are all true, and at least ${100 * LEAST_FOUND} % of those that can be derived are found`, () => {
    const untrue: string[] = [];
    const missed: string[] = [];
    let derivable = 0;
    let found = 0;
    for (let n = 0; n < NETWORKS; n++) {
      const random = createRandom(SEED * 1_000 + n);
      const network = createWiredNetwork(random);
      const told = toldOf(network, random);
      const { links, names } = importOf(told.files, network);
      const textOf = ({ ends }: PlannedLink): string =>
        `${n}: ${ends.map(({ host_id, port }) => `${names.get(host_id) ?? host_id} ${port ?? ""}`).join(" – ")}`;
      const cables = links.map((link) => cableOf(link, { names, network }));
      untrue.push(...links.filter((_link, place) => cables[place] === undefined).map(textOf));
      const all = new Set(cables);
      for (const cable of told.derivable) {
        derivable += 1;
        if (all.has(cable)) found += 1;
        else missed.push(`${n}: ${cable.ends.map((end) => `${nameOf(end, network)} ${end.port ?? ""}`).join(" – ")}`);
      }
    }
    if (NETWORKS > 3)
      process.stdout.write(
        `${NETWORKS} networks: ${untrue.length} untrue links, ${found} of ${derivable} that can be derived (${((100 * found) / derivable).toFixed(1)} %)\n`,
      );
    expect(untrue).toEqual([]);
    expect(found / derivable >= LEAST_FOUND ? [] : missed).toEqual([]);
  });
});
