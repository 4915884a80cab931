import { describe, expect, it } from "@jest/globals";
import type { Attributes, CsvResource, Host, Role } from "@nts/shared/contract";
import { createAnsibleWriter } from "./ansible.rules.js";
import { createCertificatesWriter } from "./certificates.rules.js";
import { createCsvWriter } from "./csv.rules.js";
import { createDnsWriter } from "./dns.rules.js";
import { createHostsWriter } from "./hosts.rules.js";
import { createMetricsWriter } from "./metrics.rules.js";
import type { NetboxTable } from "@nts/shared/contract/netbox-tables.rules";
import { createNetboxWriter } from "./netbox.rules.js";
import { createPrometheusWriter, type WantedTargets } from "./prometheus.rules.js";
import { type ExportWriter, labelOf, type Names } from "./writer.rules.js";

const names: Names = { network: () => "Büro 1", tag: (tag) => (tag === "t1" ? "prod, EU" : tag) };

interface Given {
  readonly name?: string;
  readonly hostname?: string | null;
  readonly ips?: readonly string[];
  readonly tags?: string[];
  /** Number, protocol and index of the interface; all interfaces when that is absent. */
  readonly ports?: readonly (readonly [number, "Tcp" | "Udp", number?])[];
  readonly service?: string;
  readonly description?: string;
  readonly role?: Role;
  readonly attributes?: Attributes;
  readonly ofService?: Attributes;
}

let made = 0;

/** A host with one service that listens on all of its ports. */
function aHost({
  name = "nas",
  hostname = null,
  ips = [],
  tags = [],
  ports = [],
  service = "web",
  description,
  ...more
}: Given): Host {
  const id = `host-${made++}`;
  const interfaces = ips.map((ip_address, n) => ({
    id: `${id}-i${n}`,
    ip_address,
    mac_address: n === 0 ? "00:11:22:33:44:55" : null,
    name: `eth${n}`,
    attributes: {},
  }));
  const bindings = ports.map(([, , at], n) => ({
    type: "Port",
    port_id: `${id}-p${n}`,
    interface_id: at === undefined ? null : `${id}-i${at}`,
  }));
  const services =
    ports.length === 0
      ? []
      : [
          {
            id: `${id}-s`,
            name: service,
            service_definition: "nginx",
            tags,
            bindings,
            attributes: more.ofService ?? {},
          },
        ];
  return {
    ...{ id, name, hostname, tags, network_id: "n1", description: description ?? null, interfaces, services },
    ...{ role: more.role ?? null, attributes: more.attributes ?? {} },
    ports: ports.map(([number, protocol], n) => ({ id: `${id}-p${n}`, number, protocol })),
  } as unknown as Host;
}

function fileOf(writer: ExportWriter, ...hosts: readonly Given[]): string {
  return writer.begin + hosts.map((host) => writer.hosts([aHost(host)])).join("") + [...writer.end()].join("");
}

const NAS: Given = {
  name: "NAS (Büro)",
  hostname: "nas.home.example",
  ips: ["10.0.0.5", "2001:db8::5"],
  tags: ["t1"],
  ports: [
    [443, "Tcp"],
    [53, "Udp", 1],
    [8443, "Tcp", 1],
  ],
};

describe("labelOf", () => {
  it.each([
    ["NAS (Büro)", "nas-buro"],
    ["  --x--  ", "x"],
    ["日本", ""],
    ["a".repeat(80), "a".repeat(63)],
    ["a_b.c", "a-b-c"],
  ])("%s is %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

describe("lines for /etc/hosts", () => {
  it("have each address with the hostname and the name", () => {
    const file = fileOf(
      createHostsWriter(),
      NAS,
      { name: "pi", hostname: "pi", ips: ["10.0.0.6"] },
      { name: "no address" },
      { name: "?", ips: ["10.0.0.7"] },
    );
    expect(file).toBe("10.0.0.5\tnas.home.example nas-buro\n2001:db8::5\tnas.home.example nas-buro\n10.0.0.6\tpi\n");
  });

  it("never have anything but one address and names, whatever hosts are named", () => {
    const file = fileOf(createHostsWriter(), {
      name: "a\n6.6.6.6 bank",
      hostname: "x y\n6.6.6.6 bank",
      ips: ["10.0.0.5"],
    });
    expect(file).toBe("10.0.0.5\ta-6-6-6-6-bank\n");
  });
});

describe("targets for Prometheus", () => {
  it("are those of a definition, or with a scheme, if only these are wanted", () => {
    const given = {
      ...NAS,
      ports: [
        [443, "Tcp"],
        [8080, "Tcp"],
        [22, "Tcp"],
      ],
    } as const;
    const targets = (wanted: WantedTargets): string[] =>
      (JSON.parse(fileOf(createPrometheusWriter(names, wanted), given)) as { targets: string[]; labels: object }[]).map(
        ({ targets: some, labels }) => `${Object.values(labels).at(-1) as string} ${some.join(" ")}`,
      );
    const all = ["https 10.0.0.5:443", "http 10.0.0.5:8080", "tcp 10.0.0.5:22"];
    expect(targets({})).toEqual(all);
    expect(targets({ definition: "NGINX" })).toEqual(all);
    expect(targets({ definition: "Grafana" })).toEqual([]);
    expect(targets({ scheme: "http" })).toEqual(all.slice(1, 2));
    expect(targets({ scheme: "tcp" })).toEqual(all.slice(2));
  });

  it("are the TCP sockets of services, with labels", () => {
    const [group, ...more] = JSON.parse(fileOf(createPrometheusWriter(names), NAS, { ips: ["10.0.0.6"] })) as {
      targets: string[];
      labels: Record<string, string>;
    }[];
    expect(more).toEqual([]);
    expect(group?.targets).toEqual(["10.0.0.5:443", "[2001:db8::5]:8443"]);
    expect(group?.labels).toMatchObject({
      __meta_nts_host: "NAS (Büro)",
      __meta_nts_network: "Büro 1",
      __meta_nts_service_definition: "nginx",
      __meta_nts_service_tags: ",prod  EU,",
      __meta_nts_host_role: "",
    });
  });

  it("have the role, and the attributes of host and service", () => {
    const given: Given = {
      ...NAS,
      role: "Nas",
      attributes: { rack: "A3", height: 2 },
      ofService: { rack: "x", spare: true },
    };
    const [group] = JSON.parse(fileOf(createPrometheusWriter(names), given)) as { labels: Record<string, string> }[];
    expect(group?.labels).toMatchObject({
      __meta_nts_host_role: "Nas",
      __meta_nts_host_attributes_rack: "A3",
      __meta_nts_host_attributes_height: "2",
      __meta_nts_service_attributes_rack: "x",
      __meta_nts_service_attributes_spare: "true",
    });
  });

  it("are an empty list when nothing listens", () => {
    expect(JSON.parse(fileOf(createPrometheusWriter(names), { ips: ["10.0.0.6"] }))).toEqual([]);
    expect(JSON.parse(fileOf(createPrometheusWriter(names), NAS, NAS))).toHaveLength(2);
  });
});

interface Inventory {
  readonly all: {
    readonly hosts: Record<string, Record<string, unknown>>;
    readonly children: Record<string, { readonly hosts: Record<string, unknown> }>;
  };
}

describe("an inventory for Ansible", () => {
  const inventoryOf = (...hosts: Given[]): Inventory["all"] =>
    (JSON.parse(fileOf(createAnsibleWriter(names), ...hosts)) as Inventory).all;

  it("contains each host once, with its variables, and groups by network, tag and service", () => {
    const given = { role: "AccessPoint", attributes: { rack: "{{ x }}" }, ofService: { tier: 1 } } as const;
    const { hosts, children } = inventoryOf({ ...NAS, ...given }, { name: "pi", ips: ["10.0.0.6"] });
    expect(hosts["nas.home.example"]).toMatchObject({
      ...{ nts_role: "AccessPoint", nts_attributes: { rack: "{ { x }}" }, nts_services: [{ attributes: { tier: 1 } }] },
    });
    expect(Object.keys(hosts)).toEqual(["nas.home.example", "pi"]);
    expect(hosts["nas.home.example"]).toMatchObject({
      ansible_host: "10.0.0.5",
      nts_tags: ["prod, EU"],
      nts_network: "Büro 1",
    });
    const members = Object.entries(children).map(([group, { hosts: own }]) => [group, Object.keys(own)]);
    expect(members).toEqual([
      ["network_buro_1", ["nas.home.example", "pi"]],
      ["tag_prod_eu", ["nas.home.example"]],
      ["role_accesspoint", ["nas.home.example"]],
      ["service_nginx", ["nas.home.example"]],
    ]);
  });

  it("keeps hosts with the same name", () => {
    expect(Object.keys(inventoryOf({ name: "pi" }, { name: "Pi!" }).hosts)).toHaveLength(2);
    expect(inventoryOf()).toEqual({ hosts: {}, children: {} });
  });

  it("contains nothing that Ansible would execute", () => {
    const text = JSON.stringify(inventoryOf({ ...NAS, name: "{{ lookup('pipe', 'id') }}", service: "{% x %}{{{# y" }));
    expect(text).not.toMatch(/\{[{%#](?!\w*")/);
    expect(text).toContain("{ { lookup('pipe', 'id') }}");
  });
});

describe("a DNS zone", () => {
  it("has a record for each address, under the hostname in the zone or else the name", () => {
    const zone = createDnsWriter("Home.Example.", 7);
    const file = fileOf(
      zone,
      NAS,
      { name: "Old printer", hostname: "printer.other.example", ips: ["10.0.0.9"] },
      { name: "日本", ips: ["10.0.0.8"] },
    );
    expect(file.split("\n").filter((line) => / (?:A|AAAA|SOA|NS) /.test(line))).toEqual([
      "@ IN SOA localhost. hostmaster.home.example. 7 3600 600 604800 300",
      "@ IN NS localhost.",
      "nas IN A 10.0.0.5",
      "nas IN AAAA 2001:db8::5",
      "old-printer IN A 10.0.0.9",
    ]);
  });
});

describe("a table", () => {
  const rowsOf = (resource: CsvResource, ...hosts: Given[]): string[] =>
    fileOf(createCsvWriter(resource, names), ...hosts)
      .split("\r\n")
      .slice(0, -1);

  it.each([
    [
      "hosts",
      'NAS (Büro),nas.home.example,10.0.0.5 2001:db8::5,00:11:22:33:44:55 ?,,,"prod\\, EU;a\\;b",Büro 1,id,,,,,,',
    ],
    ["interfaces", "NAS (Büro),eth0,10.0.0.5,00:11:22:33:44:55,"],
    ["ports", "NAS (Büro),10.0.0.5,443,Tcp,,,"],
    ["services", "NAS (Büro),10.0.0.5,443,Tcp,web,nginx,true,,"],
  ] as const)("of %s contains what an import of one reads", (resource, row) => {
    const [, first = ""] = rowsOf(resource, { ...NAS, tags: ["t1", "a;b"] });
    expect(first.replace(/host-\d+/, "id")).toBe(row);
  });

  it("has a column for each attribute, which is empty where a row has none", () => {
    const writer = createCsvWriter("hosts", names, ["constructor", "height", "rack"]);
    const file = fileOf(writer, { name: "nas", role: "Nas", attributes: { rack: "=A3", height: 2 } }, { name: "pi" });
    expect(file.replaceAll(/host-\d+/g, "id").split("\r\n")).toEqual([
      "name,hostname,ip_addresses,mac_addresses,description,role,tags,network,id,attributes_constructor,attributes_height,attributes_rack,observed_role,observed_vendor,observed_model,observed_serial,observed_os,observed_os_version",
      "nas,,,,,Nas,,Büro 1,id,,2,'=A3,,,,,,",
      "pi,,,,,,,Büro 1,id,,,,,,,,,",
      "",
    ]);
  });

  it("ends with what sources have observed", () => {
    const by = { by: "nmap", since: "2026-01-01T00:00:00.000Z" };
    const observed = { role: { value: "Server", ...by }, os: { name: "Linux", version: "6.1", ...by } };
    const ofService = { product: { value: "nginx", ...by }, version: { value: "1.26.0", ...by } };
    const host = aHost({ name: "web", ips: ["10.0.0.5"], ports: [[80, "Tcp"]] });
    const services = host.services.map((service) => ({ ...service, observed: ofService }));
    const lines = (resource: CsvResource): string[] => {
      const writer = createCsvWriter(resource, names);
      return [writer.begin, writer.hosts([{ ...host, observed, services } as unknown as Host])];
    };
    const ends = (resource: CsvResource, columns: number): (string | undefined)[] =>
      lines(resource).map((line) => line.trimEnd().split(",").slice(-columns).join(","));
    expect([ends("hosts", 6), ends("services", 2)]).toEqual([
      [
        "observed_role,observed_vendor,observed_model,observed_serial,observed_os,observed_os_version",
        "Server,,,,Linux,6.1",
      ],
      ["observed_product,observed_version", "nginx,1.26.0"],
    ]);
  });

  it("contains no spreadsheet formulas, and quotes where they are needed", () => {
    const cells = (...hosts: Given[]): string[] =>
      rowsOf("hosts", ...hosts).map((row) => row.replace(/(?:,[^,]*){9}$/, ""));
    expect(cells({ name: '=HYPERLINK("x")' }, { name: "+1", description: 'a "b"; c' })).toEqual([
      "name,hostname,ip_addresses,mac_addresses,description,role",
      `"'=HYPERLINK(""x"")",,,,,`,
      `'+1,,,,"a ""b""; c",`,
    ]);
    const full = ["＝1", "＋1", "－1", "＠x"].map((name) => cells({ name })[1]);
    expect(full).toEqual(["'＝1,,,,,", "'＋1,,,,,", "'－1,,,,,", "'＠x,,,,,"]);
  });
});

describe("tables for NetBox", () => {
  const given = {
    names,
    networks: new Map([["n1", "Büro 1"]]),
    subnets: new Map([["s1", "10.0.0.0/24"]]),
  };
  const rows = (table: NetboxTable, ...hosts: Given[]): string[] =>
    fileOf(createNetboxWriter(table, given), ...hosts)
      .replaceAll(/host-\d+/g, "id")
      .trimEnd()
      .split("\r\n")
      .slice(1);

  it("refer to each other by name", () => {
    const role = "Nas" as const;
    expect(rows("sites")).toEqual([expect.stringMatching(/^Büro 1,buro-1-[0-9a-f]{6},active$/)]);
    expect(rows("manufacturers", NAS, NAS)).toEqual(["Unknown,unknown"]);
    expect(rows("device-roles", { ...NAS, role }, NAS)).toEqual(["Nas,nas,9e9e9e", "Other,other,9e9e9e"]);
    expect(rows("device-types", NAS)).toEqual(["Unknown,Unknown,unknown-unknown,0"]);
    expect(rows("devices", { ...NAS, role, description: 'a "b", c' })).toEqual([
      'NAS (Büro),Nas,Unknown,Unknown,,active,Büro 1,"a ""b"", c"',
    ]);
    expect(rows("interfaces", NAS)).toEqual(["NAS (Büro),eth0,other", "NAS (Büro),eth1,other"]);
    expect(rows("mac-addresses", NAS)).toEqual(["00:11:22:33:44:55,NAS (Büro),eth0,true"]);
    expect(rows("prefixes")).toEqual(["10.0.0.0/24,active"]);
    expect(rows("ip-addresses", NAS)).toEqual([
      "10.0.0.5/32,active,NAS (Büro),eth0,true,nas.home.example",
      "2001:db8::5/128,active,NAS (Büro),eth1,true,nas.home.example",
    ]);
    expect(rows("services", NAS)).toEqual(['dcim.device,NAS (Büro),web,"tcp/443,tcp/8443,udp/53"']);
    expect(rows("services-before-4-7", NAS)).toEqual([
      'dcim.device,NAS (Büro),web,tcp,"443,8443"',
      "dcim.device,NAS (Büro),web,udp,53",
    ]);
  });

  it("have different names for devices, the same in each table", () => {
    const twins: Given[] = [
      { name: "pi", ips: ["10.0.0.1"] },
      { name: "PI", ips: ["10.0.0.2"] },
    ];
    expect(rows("devices", ...twins).map((row) => row.split(",")[0])).toEqual(["pi", "PI id"]);
    expect(rows("interfaces", ...twins)).toEqual(["pi,eth0,other", "PI id,eth0,other"]);
  });
});

describe("metrics of certificates", () => {
  it("have a line for each port with a certificate, with what an alert shows", () => {
    const host = aHost({
      name: 'nas "1"',
      ips: ["10.0.0.1"],
      ports: [
        [443, "Tcp"],
        [80, "Tcp"],
      ],
    });
    const certificate = { subject: "CN=nas.example", not_after: "2026-03-01T00:00:00.000Z" };
    const [first, ...others] = host.ports;
    const ports = [{ ...first!, observed: { certificate, title: null } as never }, ...others];
    const writer = createCertificatesWriter(names);
    const lines = (writer.begin + writer.hosts([{ ...host, ports }])).trimEnd().split("\n");
    expect(lines.slice(0, 2).map((line) => line.slice(0, 8))).toEqual(["# HELP n", "# TYPE n"]);
    expect(lines.slice(2)).toEqual([
      `nts_certificate_not_after_seconds{network="Büro 1",host="nas \\"1\\"",host_id="${host.id}",address="10.0.0.1",port="443/tcp",subject="CN=nas.example"} 1772323200`,
    ]);
  });
});

describe("metrics of the inventory", () => {
  it("count hosts, and what is on them, for each network, also for those without any", () => {
    const at = (days: number): string => new Date(days * 86_400_000).toISOString();
    const host = { ...aHost({ ips: ["10.0.0.1"], ports: [[443, "Tcp"]] }), is_known: true };
    const [port] = host.ports;
    const certificate = { not_after: at(20) };
    const stranger = {
      ...host,
      is_known: false,
      missed_since: at(0),
      ports: [{ ...port!, observed: { certificate } }],
    };
    const writer = createMetricsWriter(
      new Map([
        [host.network_id, "Büro 1"],
        ["empty", "Lab"],
      ]),
      0,
    );
    const begin = writer.begin + writer.hosts([host, stranger as never]);
    const lines = (begin + [...writer.end()].join("")).split("\n").filter((line) => line.startsWith("nts_"));
    const of = (network_id: string): Record<string, number> =>
      Object.fromEntries(
        lines.flatMap((line) => {
          const [, name = "", value] = /^nts_inventory_(\w+)\{.*\} (\d+)$/.exec(line) ?? [];
          return line.includes(`network_id="${network_id}"`) ? [[name, Number(value)]] : [];
        }),
      );
    expect(of(host.network_id)).toEqual({
      ...{ hosts: 2, strangers: 1, missed_hosts: 1, ports: 2, services: 2, missed_services: 0 },
      ...{ certificates: 1, certificates_ending: 1 },
    });
    expect(new Set(Object.values(of("empty")))).toEqual(new Set([0]));
  });
});
