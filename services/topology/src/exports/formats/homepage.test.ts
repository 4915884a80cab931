import { describe, expect, it } from "@jest/globals";
import type { Host } from "@nts/shared/contract";
import fc from "fast-check";
import { parse } from "yaml";
import { createHomepageWriter } from "./homepage.rules.js";
import type { Names } from "./writer.rules.js";

const names: Names = {
  network: (network) => (network === "n3" ? "Home" : { n1: "Home", n2: "Lab" }[network]!),
  tag: (tag) => tag,
};

let made = 0;

/** A host at 10.0.0.5 with a service for each list of ports. */
function aHost(
  network_id: string,
  name: string,
  services: Readonly<Record<string, readonly number[]>>,
  ip = "10.0.0.5",
): Host {
  const id = `h${made++}`;
  const ports = Object.values(services)
    .flat()
    .map((number) => ({ id: `${id}-${number}`, number, protocol: "Tcp" }));
  return {
    ...{ id, name, network_id, interfaces: [{ id: `${id}-i`, ip_address: ip }], ports },
    services: Object.entries(services).map(([service, numbers]) => ({
      ...{
        id: `${id}-${service}`,
        name: service.trim(),
        service_definition: service === "Database" ? "PostgreSQL" : "nginx",
      },
      bindings: numbers.map((number) => ({ type: "Port", port_id: `${id}-${number}`, interface_id: null })),
    })),
  } as unknown as Host;
}

function fileOf(...hosts: Host[]): unknown {
  const writer = createHomepageWriter(names);
  return parse(writer.begin + hosts.map((host) => writer.hosts([host])).join("") + [...writer.end()].join(""));
}

const link = (href: string): object => ({ href, description: "nginx", siteMonitor: href });

describe("services for Homepage", () => {
  it("are grouped by network, with a link when a browser can open them", () => {
    const hosts = [
      aHost("n1", "nas", { Photos: [2283], Database: [5432], Web: [80, 443] }),
      aHost("n1", "pi", { Web: [80] }, "2001:db8::1"),
      aHost("n2", "db", { Database: [5432] }),
      aHost("n2", "pve", { Console: [8006] }),
    ];
    expect(fileOf(...hosts)).toEqual([
      {
        Home: [
          { "Photos (nas)": link("http://10.0.0.5:2283/") },
          { "Web (nas)": link("https://10.0.0.5/") },
          { "Web (pi)": link("http://[2001:db8::1]/") },
        ],
      },
      { Lab: [{ "Console (pve)": link("https://10.0.0.5:8006/") }] },
    ]);
  });

  it("are an empty list when nothing has a link", () => {
    expect(fileOf(aHost("n1", "db", { Database: [5432] }))).toEqual([]);
    expect(fileOf()).toEqual([]);
  });

  it("never have a name twice, which Homepage would query for a single status", () => {
    const hosts = [aHost("n1", "nas", { Web: [80], "Web ": [8080] }), aHost("n3", "nas", { Web: [80] })];
    const groups = fileOf(...hosts) as Record<string, object[]>[];
    expect(groups.map((group) => Object.keys(group))).toEqual([["Home"], ["Home (2)"]]);
    expect(groups[0]?.["Home"]?.flatMap((entry) => Object.keys(entry))).toEqual([
      "Web (nas)",
      `Web (nas) ${hosts[0]?.services[1]?.id}`,
    ]);
  });

  it("keep their names, whatever these are, and nothing that Homepage would substitute", () => {
    expect(JSON.stringify(fileOf(aHost("n1", "x", { "{{HOMEPAGE_VAR_KEY}}": [80] })))).not.toContain("{{");
    const text = fc
      .string({ unit: "binary", minLength: 1, maxLength: 20 })
      .filter((name) => !/\{[{%#]|\p{Cs}/u.test(name));
    fc.assert(
      fc.property(text, (name) => {
        const [group] = fileOf(aHost("n1", name, { Web: [80] })) as [Record<string, object[]>];
        expect(Object.keys(group["Home"]?.[0] ?? {})).toEqual([`Web (${name})`]);
      }),
    );
  });
});
