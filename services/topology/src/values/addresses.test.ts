import { describe, expect, it } from "@jest/globals";
import { AppError } from "@nts/shared/errors";
import fc from "fast-check";
import { blockAround, parseAddress, parseBlock } from "./addresses.js";

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

/** The 128 bits of an address, computed independently by the platform's parser. */
function bitsOf(text: string): bigint {
  if (!text.includes(":")) return text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [head = "", tail = ""] = canonical.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => "0");
  const all = canonical.includes("::") ? [...groups(head), ...zeros, ...groups(tail)] : groups(canonical);
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

const sign = (n: bigint): number => (n < 0n ? -1 : n > 0n ? 1 : 0);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function faultOf(cidr: string): unknown {
  try {
    parseBlock(cidr, "cidr");
    return null;
  } catch (error) {
    return error instanceof AppError ? [error.code, error.params] : error;
  }
}

describe("addresses: one canonical form for each address", () => {
  it.each([
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:0db8:0000:0000:0001:0000:0000:0001", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["fe80:0:0:0:1:0:0:0", "fe80::1:0:0:0"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["10.0.0.7", "10.0.0.7"],
  ])("formats %s as in RFC 5952: %s", (given, canonical) => {
    expect(parseAddress(given).text).toBe(canonical);
  });

  it.each(["::ffff:10.0.0.7", "::ffff:a00:7", "0:0:0:0:0:FFFF:10.0.0.7"])(
    "reads %s as the IPv4 address that it embeds",
    (given) => {
      expect(parseAddress(given)).toEqual(parseAddress("10.0.0.7"));
    },
  );

  it.each([
    ["::10.1.2.3", "::a01:203"],
    ["::0.0.0.1", "::1"],
    ["0:0:0:0:0:0:10.1.2.3", "::a01:203"],
    ["::ffff:0:10.1.2.3", "::ffff:0:a01:203"],
    ["64:ff9b::10.1.2.3", "64:ff9b::a01:203"],
  ])("reads %s as IPv6 with these last 32 bits: %s", (given, canonical) => {
    expect(parseAddress(given)).toEqual(parseAddress(canonical));
    expect(parseAddress(given).text).toBe(canonical);
  });

  it("equals what the platform writes, for any address", () => {
    fc.assert(
      fc.property(ipv6, (text) => {
        const platform = new URL(`http://[${text}]`).hostname.slice(1, -1);
        fc.pre(!platform.startsWith("::ffff:"));
        expect(parseAddress(text).text).toBe(platform);
      }),
    );
  });

  it("is stable when it is parsed again", () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const once = parseAddress(text);
        expect(parseAddress(once.text)).toEqual(once);
      }),
    );
  });
});

describe("addresses: keys in numeric order", () => {
  it.each([
    ["IPv4", ipv4],
    ["IPv6", ipv6],
  ])("sort %s addresses as numbers", (_family, address) => {
    fc.assert(
      fc.property(address, address, (a, b) => {
        fc.pre(![a, b].some((text) => parseAddress(text).key.startsWith("4") && text.includes(":")));
        expect(compare(parseAddress(a).key, parseAddress(b).key)).toBe(sign(bitsOf(a) - bitsOf(b)));
      }),
    );
  });

  it("sort 10.0.0.9 before 10.0.0.10, and all of IPv4 before IPv6", () => {
    const texts = ["::", "10.0.0.10", "fe80::1", "255.255.255.255", "10.0.0.9", "2001:db8::a", "2001:db8::9"];
    const sorted = texts.map(parseAddress).sort((a, b) => compare(a.key, b.key));
    expect(sorted.map(({ text }) => text)).toEqual([
      "10.0.0.9",
      "10.0.0.10",
      "255.255.255.255",
      "::",
      "2001:db8::9",
      "2001:db8::a",
      "fe80::1",
    ]);
  });

  it("sort blocks by network, then by length", () => {
    const blocks = ["10.0.0.0/24", "10.0.0.0/8", "9.0.0.0/8", "10.0.0.0/16", "2001:db8::/32", "10.0.1.0/24"];
    const sorted = blocks.map((cidr) => parseBlock(cidr, "cidr")).sort((a, b) => compare(a.key, b.key));
    expect(sorted.map(({ text }) => text)).toEqual([
      "9.0.0.0/8",
      "10.0.0.0/8",
      "10.0.0.0/16",
      "10.0.0.0/24",
      "10.0.1.0/24",
      "2001:db8::/32",
    ]);
  });
});

describe("addresses: blocks", () => {
  it.each([
    ["10.0.0.1/24", "10.0.0.0/24"],
    ["10.0.0.128/24", "10.0.0.0/24"],
    ["0.0.0.1/0", "0.0.0.0/0"],
    ["2001:db8::1/64", "2001:db8::/64"],
    ["2001:db8:0:8::/60", "2001:db8::/60"],
    ["::ffff:10.0.0.1/120", "10.0.0.0/24"],
    ["::ffff:0:0/95", "::fffe:0:0/95"],
  ])("reject host bits in %s and name the intended block", (cidr, meant) => {
    expect(faultOf(cidr)).toEqual([
      "validation_failed",
      { errors: [{ path: "cidr", message: expect.stringContaining(meant) }] },
    ]);
  });

  it.each(["0.0.0.0/0", "10.0.0.0/8", "10.0.0.7/32", "::/0", "2001:db8::/32", "2001:db8::1/128"])(
    "accept %s, which has none",
    (cidr) => {
      expect(faultOf(cidr)).toBeNull();
      expect(parseBlock(cidr, "cidr").text).toBe(cidr);
    },
  );

  it("are formatted as in RFC 5952 for IPv6", () => {
    expect(parseBlock("2001:0DB8:0:0:0:0:0:0/32", "cidr").text).toBe("2001:db8::/32");
    expect(parseBlock("::10.1.2.0/120", "cidr").text).toBe("::a01:200/120");
  });

  it("contain an IPv6 address that ends like an IPv4 one in either notation", () => {
    const block = parseBlock("::a01:200/120", "cidr");
    expect(["::10.1.2.3", "::a01:203"].every(block.contains)).toBe(true);
    expect(["10.1.2.3", "::ffff:10.1.2.3"].some(block.contains)).toBe(false);
    expect(parseBlock("10.1.2.0/24", "cidr").contains("::10.1.2.3")).toBe(false);
  });

  it("contain the addresses that share their leading bits, and no others", () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.nat(32), (base, address, bits) => {
        const low = 32n - BigInt(bits);
        const network = (bitsOf(base) >> low) << low;
        const text = [24n, 16n, 8n, 0n].map((shift) => (network >> shift) & 255n).join(".");
        const inside = bitsOf(address) >> low === network >> low;
        expect(parseBlock(`${text}/${bits}`, "cidr").contains(address)).toBe(inside);
      }),
    );
    const v6 = parseBlock("2001:db8:0:10::/60", "cidr");
    expect(["2001:db8:0:10::1", "2001:db8:0:1f:ffff::"].every(v6.contains)).toBe(true);
    expect(["2001:db8:0:20::1", "2001:db8:0:f::", "10.0.0.1"].some(v6.contains)).toBe(false);
  });

  it("contain exactly the addresses with keys from their first to their last one", () => {
    fc.assert(
      fc.property(ipv4, ipv4, fc.nat(32), (base, address, bits) => {
        const block = parseBlock(blockAround(base, bits), "cidr");
        const { key } = parseAddress(address);
        expect(key >= block.first && key <= block.last).toBe(block.contains(address));
      }),
    );
    expect(parseBlock("2001:db8:0:10::/60", "cidr").last).toBe(parseAddress("2001:db8:0:1f:ffff:ffff:ffff:ffff").key);
  });

  it("contain an IPv4 address written as IPv6, and do not mix families", () => {
    const block = parseBlock("10.0.0.0/8", "cidr");
    expect(block.contains("::ffff:10.1.2.3")).toBe(true);
    expect(block.contains("a01:203::")).toBe(false);
    expect(parseBlock("::/0", "cidr").contains("10.1.2.3")).toBe(false);
  });
});

describe("addresses: IPv4-mapped blocks", () => {
  it.each([
    ["::ffff:192.168.0.0/112", "192.168.0.0/16"],
    ["::ffff:c0a8:0/112", "192.168.0.0/16"],
    ["0:0:0:0:0:FFFF:10.0.0.7/128", "10.0.0.7/32"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
  ])("of IPv4-mapped addresses only are IPv4, as these addresses are: %s is %s", (given, canonical) => {
    const block = parseBlock(given, "cidr");
    const same = parseBlock(canonical, "cidr");
    expect([block.text, block.key]).toEqual([canonical, same.key]);
    expect(["192.168.0.1", "10.0.0.7", "::ffff:10.0.0.7"].map(block.contains)).toEqual(
      ["192.168.0.1", "10.0.0.7", "10.0.0.7"].map(same.contains),
    );
  });

  it.each(["::/0", "::/64", "::fffe:0:0/95"])("of more than these addresses stay IPv6, without them: %s", (cidr) => {
    const block = parseBlock(cidr, "cidr");
    expect(block.text).toBe(cidr);
    expect(["::ffff:10.0.0.7", "::ffff:a00:7", "10.0.0.7"].some(block.contains)).toBe(false);
    expect(block.contains("::fffe:a00:7")).toBe(true);
  });
});
