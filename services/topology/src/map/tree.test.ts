import { describe, expect, it } from "@jest/globals";
import type { Role } from "@nts/shared/contract";
import { treeOf, type TreeHost, type TreeLink } from "./tree.rules.js";

const host = (id: string, role: Role | null = null, ...runners: string[]): TreeHost => ({ id, role, runners });
const depthsOf = (hosts: readonly TreeHost[], links: readonly TreeLink[]): Record<string, number | undefined> => {
  const tree = treeOf(hosts, links);
  return Object.fromEntries(hosts.map(({ id }) => [id, tree.depthOf(id)]));
};

describe("the tree of links", () => {
  it("begins at the router, else the firewall, else a switch, else at what has the most links", () => {
    const links: TreeLink[] = [
      ["a", "b"],
      ["b", "c"],
      ["c", "d"],
      ["c", "e"],
    ];
    const of = (roles: Readonly<Record<string, Role>>): string | undefined =>
      Object.entries(
        depthsOf(
          ["a", "b", "c", "d", "e"].map((id) => host(id, roles[id] ?? null)),
          links,
        ),
      ).find(([, depth]) => depth === 0)?.[0];
    expect(of({ a: "Switch", b: "Firewall", e: "Router" })).toBe("e");
    expect(of({ a: "Switch", b: "Firewall", c: "Server" })).toBe("b");
    expect(of({ a: "Switch", d: "Server" })).toBe("a");
    expect(of({ a: "Switch", b: "Switch" })).toBe("b");
    expect(of({})).toBe("c");
  });

  it("has a core in each connected part, and none where no link leads", () => {
    const hosts = ["a", "b", "c", "d", "e"].map((id) => host(id));
    expect(
      depthsOf(hosts, [
        ["a", "b"],
        ["c", "d"],
      ]),
    ).toEqual({ a: 0, b: 1, c: 0, d: 1, e: undefined });
  });

  it("takes one link to each host, and leaves out those that close rings", () => {
    const hosts = [host("a", "Router"), host("b"), host("c")];
    const tree = treeOf(hosts, [
      ["a", "b"],
      ["b", "a"],
      ["c", "b"],
      ["a", "c"],
    ]);
    expect([0, 1, 2, 3].map(tree.isBranch)).toEqual([true, false, false, true]);
  });

  it("puts guests without links under what they run on, also through others, but not in circles", () => {
    const hosts = [
      host("router", "Router"),
      host("hypervisor"),
      host("guest", null, "a service", "hypervisor"),
      host("container", null, "guest"),
      host("linked", null, "hypervisor"),
      host("x", null, "y"),
      host("y", null, "x"),
    ];
    expect(
      depthsOf(hosts, [
        ["router", "hypervisor"],
        ["router", "linked"],
      ]),
    ).toEqual({
      router: 0,
      hypervisor: 1,
      guest: 2,
      container: 3,
      linked: 1,
      x: undefined,
      y: undefined,
    });
  });
});
