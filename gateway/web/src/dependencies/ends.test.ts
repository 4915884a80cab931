import { describe, expect, it } from "@jest/globals";
import type { Dependency, Host } from "@nts/shared/contract";
import { rowsOf, stopsText } from "./ends.js";

const aHost = (id: string): Host =>
  ({
    ...{ id, name: id },
    services: [{ id: `${id}-s`, name: `${id} service` }],
    ports: [{ id: `${id}-p`, number: 443, protocol: "Tcp" }],
  }) as unknown as Host;

const NOTHING = { service_id: null };
const aDependency = (client: Partial<Dependency["client"]>, server: Partial<Dependency["server"]>): Dependency =>
  ({
    id: "d",
    client: { ...NOTHING, process: null, ...client },
    server: { ...NOTHING, port_id: null, ...server },
  }) as Dependency;

describe("the dependencies of a host", () => {
  const web = aHost("web");
  const db = aHost("db");

  it("name both ends, from where one stands, and by what it is used first", () => {
    const usedBy = aDependency(
      { host_id: "db", process: "cron" },
      { host_id: "web", service_id: "web-s", port_id: "web-p" },
    );
    const uses = aDependency({ host_id: "web", service_id: "web-s" }, { host_id: "db", port_id: "db-p" });
    expect(
      rowsOf({ host: web, serviceId: null }, [uses, usedBy], [db]).map(({ uses: isClient, here, other, there }) => [
        isClient,
        here,
        other?.name,
        there,
      ]),
    ).toEqual([
      [false, "web service at 443/tcp", "db", "cron"],
      [true, "web service", "db", "443/tcp"],
    ]);
  });

  it("are of the host itself where nothing else is said, also before the other one is read", () => {
    const [row] = rowsOf(
      { host: web, serviceId: null },
      [aDependency({ host_id: "web" }, { host_id: "db", service_id: "db-s" })],
      [],
    );
    expect([row?.here, row?.other, row?.otherId, row?.there]).toEqual(["", undefined, "db", ""]);
  });
});

describe("the dependencies of a service", () => {
  it("are from where it stands, also on its own host", () => {
    const web = aHost("web");
    const own = aDependency({ host_id: "web", process: "cron" }, { host_id: "web", service_id: "web-s" });
    const [row] = rowsOf({ host: web, serviceId: "web-s" }, [own], []);
    expect([row?.uses, row?.other?.name, row?.there]).toEqual([false, "web", "cron"]);
  });
});

describe("what stops as well", () => {
  it("is named as far as there is room, and counted", () => {
    expect(stopsText([], 0)).toBe("");
    expect(stopsText(["web"], 1)).toBe("Stops as well: web.");
    expect(stopsText(["a", "b", "c", "d", "e"], 1_234)).toBe("Stops as well: a, b, c, d and 1,230 more.");
  });
});
