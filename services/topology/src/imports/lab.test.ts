/** Machines recorded in a lab; `npm run long -- lab` builds one and runs this suite in all orders on its records. */
import { describe, expect, it } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryNetwork, type MemoryNetwork } from "./testing/network.js";
import { servicesOf } from "./testing/sightings.js";

const LIVE = process.env["LAB_FILES"];
const FOLDER = LIVE ?? fileURLToPath(new URL("../../src/imports/testing/corpus/lab/", import.meta.url));
/** Every how many orders of the recorded files one is tried. */
const STEP = LIVE === undefined ? 23 : 1;
/** Leases contain short names; the machine that sends sockets may use another one. */
const FILES: readonly (readonly [file: string, hostname?: string])[] = [
  ["dnsmasq.leases"],
  ["sockets-nas.txt", "NAS"],
  ["sockets-web.txt", "web.lab.example"],
  ["scan.xml"],
  ["neighbours.json"],
  ["containers.json", "dock.lab.example"],
];
/** A lab of network namespaces has no containers. */
const seen = FILES.filter(([file]) => existsSync(join(FOLDER, file)));
const texts = new Map(seen.map(([file]) => [file, readFileSync(join(FOLDER, file), "utf8")]));
const expected = [
  " [no card]: 53/Tcp@own",
  ...(texts.has("containers.json") ? ["dock [00:16:3E:00:00:FE]:  ·  · 9000/Tcp@own"] : []),
  "nas [00:16:3E:00:00:0A]: 2222/Tcp@all · 8096/Tcp@all",
  "web [02:42:0A:4D:00:33]: 2222/Tcp@all · 9443/Tcp@own",
];

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** A line for each host: its short name, its interfaces, and the sockets of its services. */
function hostsIn({ hosts }: MemoryNetwork): string[] {
  return [...hosts.values()]
    .map((known) => {
      const name = (known.host.entity.hostname ?? "").toLowerCase().split(".")[0];
      const cards = known.interfaces.map(({ entity }) => entity.mac_address ?? "no card");
      const bindings = servicesOf(known).map((text) => text.replace(/^.*?: /, "").replaceAll(/10\.77\.0\.\d+/g, "own"));
      return `${name} [${cards.join(", ")}]: ${bindings.sort().join(" · ")}`;
    })
    .sort();
}

describe("machines reported by leases, sockets, a scan, neighbours and containers", () => {
  const importAll = (order: typeof FILES, network = createMemoryNetwork()): MemoryNetwork => {
    for (const [file, hostname] of order) network.importFile(texts.get(file) ?? "", false, { hostname });
    return network;
  };

  it("become one host each, with the same interfaces and bindings in any order, and when imported again", () => {
    for (const order of ordersOf(seen).filter((_, at) => at % STEP === 0)) {
      const network = importAll(order);
      const files = order.map(([file]) => file);
      expect([files, ...hostsIn(network)]).toEqual([files, ...expected]);
      for (const [file, hostname] of order)
        expect(network.importFile(texts.get(file) ?? "", true, { hostname }).map(({ action }) => action)).not.toContain(
          "create",
        );
    }
  });
});
