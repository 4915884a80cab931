import { describe, expect, it } from "@jest/globals";
import type { Recognized } from "./plan.rules.js";
import { after, edited, MAC, plan, seenHost, servicesOf } from "./testing/sightings.js";

const byPerson = { source: { type: "Manual" } };

describe("a new host", () => {
  it("gets the name, vendor and source from the scan, and everything that was found on it", () => {
    const seen = seenHost(["10.0.0.1", "fd00::1"], ["22/Tcp"], { hostname: "nas.lan", vendor: "Synology" });
    const planned = plan({ ...seen, addresses: seen.addresses.map(({ ip }) => ({ ip, mac: MAC })) });
    expect(planned).toMatchObject({ action: "create", before: null, matchedBy: null, changes: [], line: 7 });
    expect(planned.entity).toMatchObject({
      name: "nas.lan",
      hostname: "nas.lan",
      description: "Synology",
      source: { type: "Discovery" },
    });
    expect(planned.interfaces.map(({ entity }) => [entity.ip_address, entity.mac_address, entity.position])).toEqual([
      ["10.0.0.1", MAC, 0],
      ["fd00::1", MAC, 1],
    ]);
    expect(planned.ports.map(({ entity }) => entity.type)).toEqual(["Ssh"]);
    expect(planned.services[0]).toMatchObject({ action: "create", guessedFrom: "port" });
    expect(planned.services[0]?.entity.source).toEqual({ type: "Discovery" });
  });

  it.each([
    ["by its address without a hostname", null, "10.0.0.1"],
    ["by its hostname", "nas", "nas"],
    ["by the first label of a long hostname", `nas.${"x".repeat(99)}`, "nas"],
    ["by a truncated long label", "x".repeat(200), "x".repeat(100)],
  ])("is named %s", (_what, hostname, name) => {
    expect(plan(seenHost(["10.0.0.1"], [], { hostname })).entity.name).toBe(name);
  });
});

describe("the services of open ports", () => {
  const nginx = { name: "http", product: "nginx" };
  it.each([
    ["are bound where they were found, not on all interfaces", [["10.0.0.1", "22/Tcp"]], ["SSH: 22/Tcp@10.0.0.1"]],
    [
      "are merged when they have the same product",
      [
        ["10.0.0.1", "80/Tcp", nginx],
        ["10.0.0.1", "8081/Tcp", nginx],
      ],
      ["nginx: 80/Tcp@10.0.0.1 8081/Tcp@10.0.0.1"],
    ],
    ["are merged when they have the same number", ["53/Tcp", "53/Udp"], ["DNS: 53/Tcp@10.0.0.1 53/Udp@10.0.0.1"]],
    [
      "are merged when their ports usually belong together",
      ["139/Tcp", "445/Tcp"],
      ["SMB: 139/Tcp@10.0.0.1 445/Tcp@10.0.0.1"],
    ],
    [
      "are separate when nothing connects them",
      [
        ["10.0.0.1", "8080/Tcp", { name: "http" }],
        ["10.0.0.1", "8090/Udp", { name: "http" }],
      ],
      ["HTTP: 8080/Tcp@10.0.0.1", "HTTP: 8090/Udp@10.0.0.1"],
    ],
    [
      "are merged when one port was found at two addresses",
      [
        ["10.0.0.1", "22/Tcp"],
        ["10.0.0.2", "22/Tcp"],
      ],
      ["SSH: 22/Tcp@10.0.0.1 22/Tcp@10.0.0.2"],
    ],
    ["are left out when nothing determines a definition", ["50001/Tcp"], []],
  ] as const)("%s", (_what, ports, services) => {
    const planned = plan(seenHost(["10.0.0.1", "10.0.0.2"], ports));
    expect(servicesOf(after(planned))).toEqual(services);
  });

  it("without a guess are left out with a reason, and their ports are not", () => {
    const planned = plan(seenHost(["10.0.0.1"], ["50001/Tcp"]));
    expect(planned.ports.length).toBe(1);
    expect(planned.skipped).toEqual([
      { line: 9, what: "service at 10.0.0.1 50001/tcp", reason: "the service is not recognized; its port is imported" },
    ]);
  });

  it("are created for at most a thousand ports of one host", () => {
    const ports = Array.from({ length: 1_010 }, (_, n) => `${n + 1}/Tcp`);
    const planned = plan(seenHost(["10.0.0.1"], ports));
    expect(planned.ports.map(({ entity }) => entity.number)).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
    expect(planned.skipped.filter(({ reason }) => reason.includes("1000 ports")).length).toBe(10);
  });
});

describe("the addresses of a host", () => {
  it("are at most a thousand", () => {
    const ips = Array.from({ length: 1_010 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    const planned = plan(seenHost(ips, [["10.0.3.250", "22/Tcp"]]));
    expect([planned.interfaces.length, planned.services.length]).toEqual([1_000, 0]);
    expect(planned.skipped).toEqual([
      { line: 7, what: "10 addresses of 10.0.0.0", reason: "an import takes at most 1000 addresses of a host" },
    ]);
  });
});

const first = seenHost(["10.0.0.1"], ["22/Tcp", "443/Tcp"]);
const there = after(plan(first));

describe("a known host", () => {
  it("is not changed by what is already known", () => {
    const planned = plan(first, there);
    expect([planned.action, planned.changes, planned.skipped]).toEqual(["unchanged", [], []]);
    expect([...planned.interfaces, ...planned.ports, ...planned.services].map(({ action }) => action)).toEqual(
      Array(5).fill("unchanged"),
    );
  });

  it("keeps its name, its description, and an existing hostname", () => {
    const person = edited(there, () => ({}), { name: "My NAS", hostname: "nas.lan", description: null });
    const planned = plan({ ...first, hostname: "other.lan", vendor: "Synology" }, person);
    expect([planned.action, planned.entity]).toEqual(["unchanged", person.host.entity]);
  });

  it("gets a hostname, by which it is displayed, and a MAC address when it had none", () => {
    const planned = plan({ ...first, hostname: "nas.lan", addresses: [{ ip: "10.0.0.1", mac: MAC }] }, there);
    expect(planned.action).toBe("update");
    expect(planned.entity).toMatchObject({ name: "nas.lan", hostname: "nas.lan" });
    expect(planned.changes).toEqual([
      { path: "name", from: "10.0.0.1", to: "nas.lan" },
      { path: "hostname", from: null, to: "nas.lan" },
      { path: "interfaces.10.0.0.1.mac_address", from: null, to: MAC },
    ]);
  });

  it("keeps an existing MAC address, with a remark", () => {
    const learnt = after(plan({ ...first, addresses: [{ ip: "10.0.0.1", mac: MAC }] }, there), there);
    const planned = plan({ ...first, addresses: [{ ip: "10.0.0.1", mac: "02:00:00:00:00:0B" }] }, learnt);
    expect(planned.interfaces[0]).toMatchObject({ action: "unchanged", entity: { mac_address: MAC } });
    expect(planned.skipped.map(({ what }) => what)).toEqual(["MAC address 02:00:00:00:00:0B of 10.0.0.1"]);
  });

  it("gets new children after the existing ones", () => {
    const planned = plan(seenHost(["10.0.0.2"], ["80/Tcp"]), there);
    expect(planned.action).toBe("update");
    expect(planned.interfaces.map(({ action, entity }) => [action, entity.position])).toEqual([["create", 1]]);
    expect(planned.services.map(({ action, entity }) => [action, entity.position])).toEqual([["create", 2]]);
    expect(servicesOf(after(planned, there))).toEqual([
      "SSH: 22/Tcp@10.0.0.1",
      "HTTPS: 443/Tcp@10.0.0.1",
      "HTTP: 80/Tcp@10.0.0.2",
    ]);
  });

  it("gets the second address of a port as a binding of the imported service", () => {
    const planned = plan(seenHost(["10.0.0.2"], ["22/Tcp"]), there);
    expect(planned.changes).toEqual([{ path: "services.SSH.bindings", from: null, to: "10.0.0.2 22/tcp" }]);
    expect(servicesOf(after(planned, there))[0]).toBe("SSH: 22/Tcp@10.0.0.1 22/Tcp@10.0.0.2");
  });

  it("keeps its existing binding ids", () => {
    const [before] = there.services;
    const planned = plan(seenHost(["10.0.0.2"], ["22/Tcp"]), there);
    expect(planned.services[0]?.entity.bindings[0]).toEqual(before?.entity.bindings[0]);
  });
});

describe("the services of a known host", () => {
  it.each([
    ["renamed", { name: "Login" }],
    ["given another definition", { service_definition: "Gitea" }],
    ["tagged", { tags: ["mine"] }],
    ["given a custom definition", byPerson],
  ])("include a service that a user has %s", (_what, edit) => {
    const person = edited(there, () => edit);
    expect(plan(first, person).action).toBe("unchanged");
  });

  it("include the service that a user has bound to the port elsewhere, without a second one", () => {
    const person = edited(there, () => byPerson);
    const planned = plan(seenHost(["10.0.0.2"], ["22/Tcp"]), person);
    expect(planned.services.map(({ action }) => action)).toEqual(["unchanged"]);
    expect(servicesOf(after(planned, person))).toEqual(servicesOf(person));
  });

  it("include a service that is bound to all interfaces", () => {
    const everywhere = edited(there, ({ bindings }) => ({
      bindings: bindings.map((one) => ({ ...one, interface_id: null }) as never),
    }));
    expect(plan(seenHost(["10.0.0.2"], ["22/Tcp"]), everywhere).services.map(({ action }) => action)).toEqual([
      "unchanged",
    ]);
  });

  it("include a new one when the matching service is bound to the interface without a port", () => {
    const planned = plan(seenHost(["10.0.0.2"]), there);
    const wider = after(planned, there);
    const interfaceId = wider.interfaces[1]!.entity.id;
    const person = edited(wider, ({ bindings, name }) =>
      name === "SSH"
        ? {
            bindings: [
              ...bindings,
              { ...bindings[0]!, id: "x", type: "Interface", interface_id: interfaceId } as never,
            ],
          }
        : {},
    );
    const services = servicesOf(after(plan(seenHost(["10.0.0.2"], ["22/Tcp"]), person), person));
    expect(services).toEqual(["SSH: 22/Tcp@10.0.0.1 @10.0.0.2", "HTTPS: 443/Tcp@10.0.0.1", "SSH: 22/Tcp@10.0.0.2"]);
  });
});

describe("the name of a known host", () => {
  const known = (hostname: string) => {
    const host = after(plan(seenHost(["10.0.0.1"], [], { hostname: "first" })));
    return { ...host, host: { ...host.host, entity: { ...host.host.entity, hostname } } };
  };

  it("is kept, and the plan says what the file calls it", () => {
    const planned = plan(seenHost(["10.0.0.1"], [], { hostname: "new.example.lan" }), known("old.example.lan"));
    expect(planned).toMatchObject({ action: "unchanged", entity: { hostname: "old.example.lan" } });
    expect(planned.skipped).toEqual([
      { line: 7, what: "host name new.example.lan", reason: "the host is called old.example.lan here, which it keeps" },
    ]);
  });

  it("is kept as displayed, too, which the plan says", () => {
    const there = known("nas.lan");
    const called = (name: string): string[] =>
      plan(seenHost(["10.0.0.1"], [], { name }), there).skipped.map(({ what, reason }) => `${what}: ${reason}`);
    expect(called("Attic")).toEqual(["name Attic: the host is called first here, which it keeps"]);
    expect([...called("First"), ...called("nas.lan")]).toEqual([]);
  });

  it("may be written with or without its domain", () => {
    expect(plan(seenHost(["10.0.0.1"], [], { hostname: "nas" }), known("nas.lan")).skipped).toEqual([]);
  });

  it.each(["_gateway", "[n/a]", "unknown", "-", "10.0.0.1"])("is replaced if it is none: %s", (none) => {
    const planned = plan(seenHost(["10.0.0.1"], [], { hostname: "router.lan" }), known(none));
    expect(planned).toMatchObject({ action: "update", entity: { hostname: "router.lan" } });
    expect(planned.changes).toEqual([{ path: "hostname", from: none, to: "router.lan" }]);
  });
});

describe("a host that is displayed by its address", () => {
  const addressed = after(plan(seenHost(["10.0.0.1"], [])));

  it.each([
    ["host name", { hostname: "nas.lan" }, "nas.lan"],
    ["name", { hostname: "nas.lan", name: "Attic" }, "Attic"],
  ])("is displayed by its %s when a source tells it", (_what, told, name) => {
    const planned = plan(seenHost(["10.0.0.1"], [], told), addressed);
    expect(planned).toMatchObject({ action: "update", entity: { name, hostname: "nas.lan" }, skipped: [] });
  });

  it("stays so while none does", () => {
    expect(plan(seenHost(["10.0.0.1"], []), addressed)).toMatchObject({ action: "unchanged" });
  });
});

describe("what several sources say of one machine", () => {
  const says = (by: string, name: string, known: Recognized | null) => {
    const os = { name, version: null, cpe: null, accuracy: null };
    return plan(seenHost(["10.0.0.1"], [], { says: { os } }), known, by);
  };

  it("stays what the most certain one says, in whatever order they are imported, and the others are listed", () => {
    let host = after(says("nmap", "Linux 5.4", null));
    host = after(says("ansible-facts", "Debian", host), host);
    expect(host.host.entity.observed?.os).toMatchObject({ name: "Debian", by: "ansible-facts" });
    const scanned = says("nmap", "Linux 6.1", host);
    expect(scanned).toMatchObject({ action: "unchanged", changes: [] });
    expect(scanned.skipped).toEqual([
      { line: 7, what: "operating system Linux 6.1", reason: "ansible-facts says that it is Debian" },
    ]);
    expect(says("ansible-facts", "Ubuntu", host).changes).toEqual([
      { path: "observed.os", from: "Debian", to: "Ubuntu" },
    ]);
  });
});
