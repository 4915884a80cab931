import { describe, expect, it } from "@jest/globals";
import type { Host } from "@nts/shared/contract";
import { parse } from "yaml";
import { createGatusWriter } from "./gatus.rules.js";
import { createHomeAssistantWriter } from "./home-assistant.rules.js";
import { createUptimeKumaWriter } from "./uptime-kuma.rules.js";
import type { ExportWriter, Names, Needs } from "./writer.rules.js";

const names: Names = { network: () => "Home $NET", tag: (tag) => tag };
const NO_NEEDS: Needs = { of: () => [], parentOf: () => null };

/** A host at an address, with a service for each port. */
function aHost(
  id: string,
  name: string,
  ports: readonly (readonly [number, string, ("Tcp" | "Udp")?])[],
  ip = "10.0.0.5",
): Host {
  return {
    ...{ id, name, network_id: "n" },
    interfaces: [{ id: `${id}-i`, ip_address: ip }],
    ports: ports.map(([number, , protocol = "Tcp"], n) => ({ id: `${id}-p${n}`, number, protocol })),
    services: ports.map(([, definition], n) => ({
      ...{ id: `${id}-s${n}`, name: definition, service_definition: definition },
      bindings: [{ type: "Port", port_id: `${id}-p${n}`, interface_id: null }],
    })),
  } as unknown as Host;
}

function fileOf(writer: ExportWriter, hosts: readonly Host[], needs: Needs = NO_NEEDS): string {
  return [writer.begin, writer.hosts(hosts, needs), ...writer.end()].join("");
}

const WEB = aHost("web", "web", [
  [443, "nginx"],
  [5432, "PostgreSQL"],
  [53, "dnsmasq", "Udp"],
]);

describe("endpoints for Gatus", () => {
  const endpointsOf = (
    hosts: readonly Host[],
    needs?: Needs,
  ): { name: string; group: string; url: string; conditions: string[] }[] =>
    (parse(fileOf(createGatusWriter(names), hosts, needs)) as { endpoints: never[] }).endpoints;

  it("are a page or a connection of each service with TCP, and a ping of hosts without any", () => {
    const quiet = aHost("quiet", "quiet", [[161, "Net-SNMP", "Udp"]], "2001:db8::9");
    expect(endpointsOf([WEB, quiet]).map(({ name, url, conditions }) => [name, url, ...conditions])).toEqual([
      ["nginx (web)", "https://10.0.0.5:443", "[CONNECTED] == true", "[STATUS] < 500"],
      ["PostgreSQL (web)", "tcp://10.0.0.5:5432", "[CONNECTED] == true"],
      ["quiet", "icmp://[2001:db8::9]", "[CONNECTED] == true"],
    ]);
  });

  it("have different names, and names in which nothing is replaced", () => {
    const [odd] = endpointsOf([aHost("o", 'a "b" \\c', [[80, "nginx"]])]);
    expect(odd?.name).toBe("nginx (a 'b' /c)");
    const twins = [aHost("a", "${HOME}", [[80, "nginx"]]), aHost("b", "${home}", [[80, "nginx"]])];
    const all = endpointsOf(twins);
    expect(all.map(({ name }) => name)).toEqual(["nginx ($${HOME})", "nginx ($${home}) b-s0"]);
    expect(all[0]?.group).toBe("Home $$NET");
  });

  it("say what they need in comments, and are an empty list without any", () => {
    const needs = { ...NO_NEEDS, of: (id: string) => (id === "web-s0" ? ["PostgreSQL on db\nendpoints: x"] : []) };
    const text = fileOf(createGatusWriter(names), [WEB], needs);
    expect(text).toContain('  # needs "PostgreSQL on db\\nendpoints: x"\n  - name: "nginx (web)"');
    expect(endpointsOf([])).toEqual([]);
  });
});

describe("sensors for Home Assistant", () => {
  it("are one for each host that imports have seen, with one request for each network", () => {
    const seen = { seen: { first_at: "", last_at: "", by: "nmap" } };
    const hosts = [
      { ...WEB, ...seen },
      { ...aHost("b", "{{ states }}", []), ...seen },
      aHost("c", "written", []),
      { ...aHost("d", "other", []), ...seen, network_id: "m" },
    ];
    const text = fileOf(createHomeAssistantWriter(names, "https://nts.example/"), hosts).replaceAll("!secret ", "");
    const { rest } = parse(text) as { rest: { resource: string; binary_sensor: Record<string, string>[] }[] };
    expect(rest.map(({ resource }) => resource)).toEqual(
      ["n", "m"].map((id) => `https://nts.example/api/v1/reports/gone?days=0&network_id=${id}`),
    );
    const sensors = rest.flatMap(({ binary_sensor: some }) => some);
    expect(sensors.map(({ name, unique_id: id }) => [name, id])).toEqual([
      ["web", "nts_web"],
      ["{ { states }}", "nts_b"],
      ["other", "nts_d"],
    ]);
    expect(sensors[0]?.["value_template"]).toContain("'eq', 'web'");
  });
});

describe("labels for AutoKuma", () => {
  const labelsOf = (hosts: readonly Host[], needs?: Needs): Record<string, string> =>
    (
      parse(fileOf(createUptimeKumaWriter(), hosts, needs)) as {
        services: { "inventory-monitors": { labels: Record<string, string> } };
      }
    ).services["inventory-monitors"].labels;

  it("are a group per host with its services, in the group of its parent, also if that is not exported", () => {
    const needs: Needs = {
      of: (id) => (id === "web-s0" ? ["PostgreSQL on db", "Redis on cache"] : []),
      parentOf: () => ({ id: "switch", name: "switch" }),
    };
    expect(labelsOf([WEB], needs)).toEqual({
      "kuma.nts-web.group.name": "web",
      "kuma.nts-web.group.parent_name": "nts-switch",
      "kuma.nts-web-s0.http.name": "nginx",
      "kuma.nts-web-s0.http.parent_name": "nts-web",
      "kuma.nts-web-s0.http.url": "https://10.0.0.5:443",
      "kuma.nts-web-s0.http.accepted_statuscodes": '["200-499"]',
      "kuma.nts-web-s0.http.ignore_tls": "true",
      "kuma.nts-web-s0.http.description": "Needs PostgreSQL on db, Redis on cache",
      "kuma.nts-web-s1.port.name": "PostgreSQL",
      "kuma.nts-web-s1.port.parent_name": "nts-web",
      "kuma.nts-web-s1.port.hostname": "10.0.0.5",
      "kuma.nts-web-s1.port.port": "5432",
      "kuma.nts-switch.group.name": "switch",
    });
  });

  it("evaluate nothing of what hosts are called, and are none without hosts", () => {
    const labels = labelsOf([aHost("x", "{{ get_env(name='A') }} ${B}", [])]);
    expect(labels["kuma.nts-x.group.name"]).toBe("{ { get_env(name='A') }} $${B}");
    expect(labels["kuma.nts-x-ping.ping.hostname"]).toBe("10.0.0.5");
    expect(labelsOf([])).toEqual({});
  });
});
