import { describe, expect, it } from "@jest/globals";
import { mergeSeen } from "./merge.rules.js";
import { createPacker } from "./packed-hosts.js";
import { hostWith, isPacked } from "./packed-hosts.rules.js";
import { createSkipped, type SeenHost } from "./scan.rules.js";

const HOSTS = 1_050;

function seen(n: number): SeenHost {
  const ip = `10.0.${n >> 8}.${n & 255}`;
  return {
    line: n,
    addresses: [{ ip, mac: null }],
    hostname: `host-${n}.example`,
    name: n % 2 === 0 ? null : `name ${n}`,
    role: n % 3 === 0 ? "Server" : null,
    covered: [{ ip, protocol: "Tcp", ranges: [[1, n + 1]], except: [[22, 22]] }],
    vendor: `vendor ${n}`,
    says: { vendor: `vendor ${n}` },
    ports: [{ line: n, ip, protocol: "Tcp", number: 22, service: null, says: { title: `title ${n}` } }],
  };
}

const many = Array.from({ length: HOSTS }, (_, n) => seen(n));

describe("packed hosts", () => {
  const pack = createPacker();
  const packed = many.map(pack);

  it("are as they were, in whatever order they are asked for", () => {
    expect(packed.every(isPacked)).toBe(true);
    expect(packed.map((host) => hostWith(host, {}))).toEqual(many);
    const inLeaps = (hosts: readonly SeenHost[]): unknown[] =>
      hosts.map((_, n) => hosts[(n * 379) % HOSTS]!).map(({ line, vendor, ports }) => [line, vendor, ports]);
    expect(inLeaps(packed)).toEqual(inLeaps(many));
  });

  it("are merged like others, and keep what is not changed", () => {
    const again = { ...seen(7), addresses: [{ ip: "10.0.0.7", mac: "02:00:00:00:00:0A" }], hostname: null, ports: [] };
    const merged = mergeSeen([...packed, pack(again)], createSkipped());
    expect(merged.map((host) => hostWith(host, {}))).toEqual(mergeSeen([...many, again], createSkipped()));
    expect(hostWith(packed[9]!, { hostname: "nas" })).toEqual({ ...many[9], hostname: "nas" });
  });
});
