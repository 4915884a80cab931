import { describe, expect, it } from "@jest/globals";
import type { Role } from "@nts/shared/contract";
import { type Carrier, type HostLink, hangingOf } from "./cut-off.rules.js";

// Hosts are called by letters: R routers, F firewalls, S and T switches, A access points; other letters pass nothing on.

const ROLES: Readonly<Record<string, Role>> = {
  R: "Router",
  F: "Firewall",
  S: "Switch",
  T: "Switch",
  A: "AccessPoint",
};

const roleOf = (name: string): Role | undefined => ROLES[name[0] ?? ""];

/** Links such as `R1-S1` as what hangs on what. */
function hanging(text: string, runners = "", together = ""): string {
  const links = text.split(" ").map((link) => link.split("-") as unknown as HostLink);
  const on = new Map(runners.split(" ").map((one) => one.split("@") as [string, string]));
  const names = new Set([...links.flat(), ...on.keys()]);
  const carriers = [...names].flatMap((id): Carrier[] => {
    const role = roleOf(id);
    return role === undefined ? [] : [{ id, role, runners: [on.get(id) ?? []].flat() }];
  });
  const { above, below } = hangingOf(
    carriers,
    links,
    together.split(" ").filter((one) => one !== ""),
  );
  for (const [id, top] of above) expect(below.get(top)).toContain(id);
  return [...above]
    .map(([id, top]) => `${id}<${top}`)
    .sort()
    .join(" ");
}

interface Case {
  readonly name: string;
  readonly links: string;
  readonly expected: string;
  /** Such as `R@h`. */
  readonly runners?: string;
  readonly together?: string;
}

const CASES: readonly Case[] = [
  {
    name: "everything hangs on what is nearer to the router",
    links: "R-S S-T T-x S-y",
    expected: "S<R T<S x<T y<S",
  },
  {
    name: "two cables to one switch are one way",
    links: "R-S S-T S-T T-x",
    expected: "S<R T<S x<T",
  },
  {
    name: "a ring cuts nobody off but at its only entrance",
    links: "R-S S-T1 T1-T2 T2-S T1-x",
    expected: "S<R T1<S T2<S x<T1",
  },
  {
    name: "a ring through the router",
    links: "R-S1 S1-S2 S2-R S2-x",
    expected: "S1<R S2<R x<S2",
  },
  {
    name: "a host at two switches hangs on what both hang on",
    links: "R-S S-T1 S-T2 T1-x T2-x",
    expected: "S<R T1<S T2<S x<S",
  },
  {
    name: "a host that is at a switch and at what that hangs on",
    links: "R-S S-T T-x S-x",
    expected: "S<R T<S x<S",
  },
  {
    name: "two routers: only what is between neither and a host cuts it off",
    links: "R1-S S-R2 S-T T-x",
    expected: "T<S x<T",
  },
  {
    name: "a second router behind a switch still serves what is behind it",
    links: "R1-S S-R2 R2-x S-y",
    expected: "x<R2 y<S",
  },
  {
    name: "without a router, the firewall is the core",
    links: "F-S S-x",
    expected: "S<F x<S",
  },
  {
    name: "without either, nobody knows where the core is: switches do not hang on each other",
    links: "S-T T-x S-y",
    expected: "x<T y<S",
  },
  {
    name: "an access point carries",
    links: "S-A A-x",
    expected: "A<S x<A",
  },
  {
    name: "parts that are not connected have cores of their own",
    links: "R-S S-x T-y",
    expected: "S<R x<S y<T",
  },
  {
    name: "hosts pass nothing on: what is behind one has another way",
    links: "R-S S-n n-T T-x",
    expected: "S<R x<T",
  },
  {
    name: "two hosts with a cable",
    links: "x-y",
    expected: "",
  },
  {
    name: "a virtual router is reached through what it runs on",
    links: "h-S S-x",
    expected: "S<h h<R x<S",
    runners: "R@h",
  },
  {
    name: "a virtual router with a link of its own",
    links: "R-S S-x S-h",
    expected: "S<R h<S x<S",
    runners: "R@h",
  },
  {
    name: "a virtual router on what has no links",
    links: "S-x",
    expected: "x<S",
    runners: "R@h",
  },
  {
    name: "two that stop together",
    links: "R-S1 R-S2 S1-x S2-x S1-y",
    expected: "S1<R x<S1 y<S1",
    together: "S1 S2",
  },
];

describe("what a device cuts off", () => {
  it.each(CASES)("$name", ({ links, expected, runners, together }) => {
    expect(hanging(links, runners, together)).toBe(expected);
    const reversed = links.split(" ").reverse().join(" ");
    expect(hanging(reversed, runners, together)).toBe(expected);
  });

  it("is what cannot be reached without it, in random networks", () => {
    let seed = 5;
    const next = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
    for (let round = 0; round < 200; round++) {
      const switches = Array.from({ length: 2 + next(6) }, (_, n) => `${"RSST"[next(4)] ?? "S"}${n}`);
      const names = [...switches, "x", "y", "z"];
      const links = Array.from({ length: 3 + next(10) }, () => [
        switches[next(switches.length)] ?? "",
        names[next(names.length)] ?? "",
      ])
        .filter(([one, other]) => one !== other)
        .map((ends) => ends as unknown as HostLink);
      if (links.length === 0) continue;
      const carriers = switches.map((id): Carrier => ({ id, role: roleOf(id) ?? "Switch", runners: [] }));
      const { below } = hangingOf(carriers, links);
      for (const stopped of switches)
        expect([round, stopped, behind(stopped, below)]).toEqual([round, stopped, unreached(stopped, links)]);
    }
  });

  it("is told of 20,000 links in a chain and of 20,000 at two switches", () => {
    const chain = Array.from({ length: 20_000 }, (_, n): HostLink => [`S${n}`, `S${n + 1}`]);
    const carriers = chain.map(([id]): Carrier => ({ id, role: "Switch", runners: [] }));
    const many = Array.from({ length: 20_000 }, (_, n): HostLink => [n % 2 === 0 ? "S1" : "S19998", `x${n >> 1}`]);
    const first = [{ id: "R", role: "Router", runners: [] } as Carrier, ...carriers];
    expect(hangingOf(first, [["R", "S0"], ...chain]).above.get("S19999")).toBe("S19998");
    expect(hangingOf(first, [["R", "S0"], ...chain, ...many]).above.get("x1")).toBeUndefined();
  });
});

function behind(id: string, below: ReadonlyMap<string, readonly string[]>): string[] {
  const found = [id];
  for (const one of found) found.push(...(below.get(one) ?? []));
  return found.slice(1).sort();
}

/** Who reaches a core only with a device. */
function unreached(stopped: string, links: readonly HostLink[]): string[] {
  const reached = reachedWithout(null, links);
  const still = reachedWithout(stopped, links);
  return [...reached].filter((id) => id !== stopped && !still.has(id)).sort();
}

function reachedWithout(stopped: string | null, links: readonly HostLink[]): ReadonlySet<string> {
  const near = (id: string): string[] =>
    links.flatMap(([one, other]) => (one === id ? other : other === id ? one : []));
  const spread = (start: string, isPassed: (next: string) => boolean): ReadonlySet<string> => {
    const found = new Set([start]);
    for (const id of found)
      for (const next of roleOf(id) === undefined ? [] : near(id).filter(isPassed)) found.add(next);
    return found;
  };
  const reached = new Set<string>();
  for (const start of new Set(links.flat().filter((id) => roleOf(id) !== undefined))) {
    const part = [...spread(start, (next) => roleOf(next) !== undefined)];
    const best = part.some((id) => id.startsWith("R")) ? "R" : "ST";
    const cores = part.filter((id) => best.includes(id[0] ?? "") && id !== stopped);
    for (const core of cores) for (const id of spread(core, (next) => next !== stopped)) reached.add(id);
  }
  return reached;
}
