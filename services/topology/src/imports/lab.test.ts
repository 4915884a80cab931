/** Three machines as a lab of network namespaces saw them (`npm run test:lab` builds it and runs this on what it sees). */
import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createMemoryNetwork, type MemoryNetwork } from "./testing/network.js";
import { servicesOf } from "./testing/sightings.js";

const FOLDER =
  process.env["LAB_FILES"] ?? fileURLToPath(new URL("../../src/imports/testing/corpus/lab/", import.meta.url));
/** Leases name machines by their short names; whoever sends sockets may name them otherwise. */
const FILES: readonly (readonly [file: string, hostname?: string])[] = [
  ["dnsmasq.leases"],
  ["sockets-nas.txt", "NAS"],
  ["sockets-web.txt", "web.lab.example"],
  ["scan.xml"],
  ["neighbours.json"],
];
const texts = new Map(FILES.map(([file]) => [file, readFileSync(join(FOLDER, file), "utf8")]));

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, at) => ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** A line for each host: its name in short, its cards, and where its services are bound. */
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

describe("three machines, seen by leases, sockets, a scan and neighbours", () => {
  const importAll = (order: typeof FILES, network = createMemoryNetwork()): MemoryNetwork => {
    for (const [file, hostname] of order) network.importFile(texts.get(file) ?? "", false, { hostname });
    return network;
  };

  it("are three hosts with the same cards and bindings in all 120 orders, and again", () => {
    const expected = [
      " [no card]: 53/Tcp@own",
      "nas [00:16:3E:00:00:0A]: 22/Tcp@all · 8080/Tcp@all",
      "web [00:16:3E:00:00:0B]: 22/Tcp@all · 443/Tcp@own",
    ];
    const orders = ordersOf(FILES);
    expect(orders.length).toBe(120);
    for (const order of orders) {
      const network = importAll(order);
      expect([order.map(([file]) => file), ...hostsIn(network)]).toEqual([order.map(([file]) => file), ...expected]);
      for (const [file, hostname] of order)
        expect(network.importFile(texts.get(file) ?? "", true, { hostname }).map(({ action }) => action)).not.toContain(
          "create",
        );
    }
  });
});
