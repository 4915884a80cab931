import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { IpAddress } from "./common.js";
import { Cidr } from "./subnets.js";
import { openApiText } from "../openapi/openapi.js";

interface Pattern {
  readonly pattern?: string;
}

interface Schemas {
  readonly IpAddress: Pattern;
  readonly Cidr: Pattern;
}

const document = JSON.parse(openApiText("")) as { readonly components: { readonly schemas: Schemas } };
const { IpAddress: address, Cidr: block } = document.components.schemas;

const matches = (text: string, { pattern = "" }: Pattern): boolean => new RegExp(pattern, "u").test(text);

const group = fc.integer({ min: 0, max: 0x1_0fff }).map((n) => n.toString(16));
const groups = fc.array(group, { maxLength: 8 }).map((parts) => parts.join(":"));
const tail = fc.oneof(fc.ipV4(), fc.constantFrom("", "1.2.3", "1.2.3.04", "1.2.3.256", "::"));
/** Text like an address, half of it wrong. */
const anyText = fc.oneof(
  fc.ipV6(),
  fc.ipV4(),
  fc
    .tuple(groups, fc.constantFrom(":", "::", ""), groups, fc.constantFrom(":", ""), tail)
    .map((parts) => parts.join("")),
);

describe("the patterns of addresses in the OpenAPI document", () => {
  it("match what is accepted, and nothing else", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect([text, matches(text, address)]).toEqual([text, IpAddress.safeParse(text).success]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("match blocks that are accepted, and no others", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: -1, max: 130 }), (text, bits) => {
        const cidr = `${text}/${bits}`;
        expect([cidr, matches(cidr, block)]).toEqual([cidr, Cidr.safeParse(cidr).success]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(["::10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3", "1:2:3:4:5:6:7.8.9.10", "1:2:3:4:5::6.7.8.9"])(
    "match %s, whose last 32 bits are written like IPv4",
    (text) => {
      expect(matches(text, address)).toBe(true);
      expect(matches(`${text}/128`, block)).toBe(true);
    },
  );
});
