import { describe, expect, it } from "@jest/globals";
import { MERMAID_LIMITS, Topology, type TopologyEdge, type TopologyNode } from "@nts/shared/contract";
import { parse } from "@ts-graphviz/ast";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { createDotWriter } from "./dot.rules.js";
import { createGraphmlWriter } from "./graphml.rules.js";
import { createJsonWriter } from "./json.rules.js";
import { createMermaidWriter } from "./mermaid.rules.js";
import type { MapWriter } from "./writer.rules.js";

const id = (n: number): string => `01938c4a-7d5e-7b21-9f3c-${String(n).padStart(12, "0")}`;

const host = (n: number, label: string): TopologyNode => ({
  id: id(n),
  kind: "host",
  label,
  network_id: id(0),
  tags: [],
  hostname: null,
  hidden: false,
  role: null,
  virtualization_type: null,
});
const subnet = (n: number, label: string, cidr: string): TopologyNode => ({
  id: id(n),
  kind: "subnet",
  label,
  network_id: id(0),
  tags: [label],
  cidr,
  subnet_type: null,
  vlan: { id: id(7), vid: 10, name: label },
});
const service = (n: number, label: string): TopologyNode => ({
  id: id(n),
  kind: "service",
  label,
  network_id: id(0),
  tags: [],
  host_id: id(1),
  service_definition: "nginx",
  category: "Custom",
  virtualization_type: null,
});
const edge = (n: number, type: string): TopologyEdge => ({
  id: `virtualized_by:${id(n)}`,
  kind: "virtualized_by",
  source: id(n),
  target: id(1),
  type,
});

/** Any text, with special characters more often than by chance. */
const anything = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        "'",
        "\\",
        "\n",
        "\r",
        "<",
        ">",
        "&",
        "]]>",
        "#",
        ";",
        "&lt;",
        "#quot;",
        "%%",
        "end",
        "style:#f",
        "`",
        "|",
        "[",
        "]",
        "{",
        "}",
        "\\N",
        "--",
        "a",
        " ",
        "°",
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join("")),
);

function written(writer: MapWriter, nodes: readonly TopologyNode[], edges: readonly TopologyEdge[]): string {
  return writer.begin + writer.nodes(nodes) + writer.nodes([]) + writer.between + writer.edges(edges) + writer.end;
}

/** A node of each kind and an edge, with this text in every member. */
function withText(text: string): [TopologyNode[], TopologyEdge[]] {
  return [[host(1, text), subnet(2, text, `10/${text}`), service(3, text)], [edge(3, text)]];
}

describe("the map as JSON", () => {
  it("equals the map, in however many pieces it was sent", () => {
    const pieces = fc.array(fc.array(anything, { maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(pieces, pieces, (labels, types) => {
        const nodes = labels.map((some) => some.map((label, n) => host(n, label)));
        const edges = types.map((some) => some.map((type, n) => edge(n, type)));
        const { begin, between, end, ...writer } = createJsonWriter();
        const text = begin + nodes.map(writer.nodes).join("") + between + edges.map(writer.edges).join("") + end;
        expect(Topology.parse(JSON.parse(text))).toEqual({ nodes: nodes.flat(), edges: edges.flat() });
      }),
    );
  });
});

describe("the map for Graphviz", () => {
  interface Ast {
    readonly type: string;
    readonly id?: Ast;
    readonly value?: string & Ast;
    readonly key?: Ast;
    readonly targets?: readonly Ast[];
    readonly children: readonly Ast[];
  }

  const attribute = (statement: Ast | undefined, name: string): string =>
    statement?.children.find(({ key }) => key?.value === name)?.value?.value ?? "";

  /** A label as Graphviz draws it: escapes first, then character references. */
  const drawn = (label: string): string =>
    label
      .replaceAll(/\\(.)/g, (_escape, character: string) => (character === "n" ? "\n" : character))
      .replaceAll("&amp;", "&");

  it("preserves labels, whatever characters they contain", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = text.replaceAll(/\r\n|\r/g, "\n");
        const [graph] = (parse(written(createDotWriter(), ...withText(text))) as unknown as Ast).children;
        const [one, two, three, four, ...more] = (graph?.children ?? []).filter(
          ({ type }) => type === "Node" || type === "Edge",
        );
        expect(more).toEqual([]);
        expect([one, two, three].map((node) => node?.id?.value)).toEqual([id(1), id(2), id(3)]);
        expect(drawn(attribute(one, "label"))).toBe(shown);
        expect(drawn(attribute(two, "label"))).toBe(`${shown}\n10/${shown}`);
        expect(drawn(attribute(three, "label"))).toBe(`${shown}\nnginx`);
        expect(four?.targets?.map((target) => target.id?.value)).toEqual([id(3), id(1)]);
        expect(drawn(attribute(four, "label"))).toBe(shown);
      }),
    );
  });

  it("contains the block of a subnet once when it is also its name", () => {
    expect(written(createDotWriter(), [subnet(1, "10.0.0.0/24", "10.0.0.0/24")], []).split("10.0.0.0/24")).toHaveLength(
      2,
    );
  });
});

describe("the map as GraphML", () => {
  /** The text of each `data` by element and key. @throws Error when the XML is not well-formed */
  function read(xml: string): Map<string, string> {
    const found = new Map<string, string>();
    const path: string[] = [];
    const parser = new SaxesParser();
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", ({ name, attributes }) => {
      path.push(name === "data" ? (attributes["key"] ?? "") : (attributes["id"] ?? name));
      if (name === "edge") found.set(path.join("/"), `${attributes["source"] ?? ""}>${attributes["target"] ?? ""}`);
      if (name === "data") found.set(path.join("/"), "");
    });
    parser.on("text", (text) => {
      const at = path.join("/");
      if (found.has(at) && /(node|edge)_/.test(at)) found.set(at, (found.get(at) ?? "") + text);
    });
    parser.on("closetag", () => path.pop());
    parser.write(xml).close();
    return found;
  }

  it("is well-formed and preserves all texts, except for characters that XML does not allow", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const isSpeakable = (one: string): boolean =>
          (one >= " " || "\t\n\r".includes(one)) && !"\u{fffe}\u{ffff}".includes(one);
        const kept = [...text].map((one) => (isSpeakable(one) ? one : "\u{fffd}")).join("");
        const found = read(written(createGraphmlWriter(), ...withText(text)));
        const at = (n: number, key: string): string | undefined => found.get(`graphml/topology/${id(n)}/node_${key}`);
        expect([at(1, "label"), at(2, "label"), at(2, "cidr"), at(3, "label")]).toEqual([
          kept,
          kept,
          `10/${kept}`,
          kept,
        ]);
        expect([at(1, "kind"), at(1, "hostname"), at(1, "hidden"), at(3, "category")]).toEqual([
          "host",
          undefined,
          "false",
          "Custom",
        ]);
        const edgeId = `virtualized_by:${id(3)}`;
        expect(found.get(`graphml/topology/${edgeId}`)).toBe(`${id(3)}>${id(1)}`);
        expect(found.get(`graphml/topology/${edgeId}/edge_type`)).toBe(kept);
      }),
    );
  });

  it("has a key for every member of nodes and edges", () => {
    const [nodes, edges] = withText("x");
    const bound: TopologyEdge = {
      id: "b",
      kind: "on_host",
      source: id(3),
      target: id(1),
      bindings: [{ type: "Interface", id: id(8), interface_id: id(9) }],
    };
    const through: TopologyEdge = {
      id: "c",
      kind: "in_subnet",
      source: id(1),
      target: id(2),
      interface_id: id(9),
      name: "eth0",
      ip_address: "10.0.0.1",
      mac_address: "AA:BB:CC:DD:EE:FF",
    };
    const xml = written(createGraphmlWriter(), nodes, [...edges, bound, through]);
    const found = read(xml);
    for (const [of, member] of [
      ...nodes.map((one) => ["node", one] as const),
      ...[...edges, bound, through].map((one) => ["edge", one] as const),
    ])
      for (const [name, value] of Object.entries(member)) {
        if (["id", "source", "target"].includes(name) || value === null) continue;
        const text = typeof value === "object" ? JSON.stringify(value) : String(value);
        expect([name, found.get(`graphml/topology/${member.id}/${of}_${name}`)]).toEqual([name, text]);
        expect(xml).toContain(`<key id="${of}_${name}" for="${of}" attr.name="${name}"`);
      }
  });
});

describe("the map for Mermaid", () => {
  /** A text as Mermaid shows it: `#<code>;` is a character. */
  const shown = (text: string): string =>
    text.replaceAll(/#(\d+);/g, (_code, digits: string) => String.fromCodePoint(Number(digits)));

  it("has one line for each node and edge, whose escaped labels read as the original texts", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const [title, one, two, three, four, ...rest] = written(createMermaidWriter(), ...withText(text)).split("\n");
        expect([title, ...rest]).toEqual(["flowchart LR", ""]);
        const plain = "((?:[^\\W_]|[\\p{L}\\p{N} .,/_-]|#\\d+;)*)";
        const read = (line: string | undefined, pattern: string): string[] =>
          (new RegExp(`^  ${pattern}$`, "u").exec(line ?? "") ?? []).slice(1).map(shown);
        expect(read(one, `n0\\["${plain}"\\]`)).toEqual([text]);
        expect(read(two, `n1\\(\\["${plain}<br>${plain}"\\]\\)`)).toEqual([text, `10/${text}`]);
        expect(read(three, `n2\\("${plain}<br>nginx"\\)`)).toEqual([text]);
        if (text === "") expect(four).toBe("  n2 -.-> n0");
        else expect(read(four, `n2 -\\.->\\|"${plain}"\\| n0`)).toEqual([text]);
      }),
    );
  });

  it("is rejected when it has more edges than Mermaid draws", () => {
    const edges = (count: number): TopologyEdge[] => Array.from({ length: count }, () => edge(1, "VM"));
    const { edges: limit } = MERMAID_LIMITS;
    expect(written(createMermaidWriter(), [host(1, "h")], edges(limit)).split("\n")).toHaveLength(limit + 3);
    expect(() => written(createMermaidWriter(), [host(1, "h")], edges(limit + 1))).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        params: { errors: [expect.objectContaining({ path: "format" })] },
      }),
    );
  });

  it("is rejected when its text is longer than Mermaid accepts", () => {
    const name = "x".repeat(100);
    const line = `  n0["${name}"]\n`.length;
    const nodes = (count: number): TopologyNode[] => Array.from({ length: count }, (_, n) => host(n, name));
    const writable = Math.floor(MERMAID_LIMITS.characters / (line + 3));
    expect(written(createMermaidWriter(), nodes(writable), []).length).toBeLessThanOrEqual(MERMAID_LIMITS.characters);
    expect(() => written(createMermaidWriter(), nodes(writable + 30), [])).toThrow();
  });
});
