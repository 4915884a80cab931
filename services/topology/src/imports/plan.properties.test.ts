import { describe, expect, it } from "@jest/globals";
import { bindingKey } from "@nts/shared/contract";
import fc from "fast-check";
import { bindingJudge } from "@nts/shared/contract/bindings.rules";
import { resolveBindings } from "../hosts/bindings.rules.js";
import type { Recognized } from "./plan.rules.js";
import type { SeenService } from "./scan.rules.js";
import { after, plan, type SeenAt, seenHost } from "./testing/sightings.js";

describe("any sequence of sightings", () => {
  const ips = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
  const aService: fc.Arbitrary<Partial<SeenService> | undefined> = fc.option(
    fc.record({
      name: fc.constantFrom("http", "ssh", "domain", "unknown", "finger"),
      product: fc.constantFrom(null, "nginx", "OpenSSH"),
      isWrapped: fc.boolean(),
      isProbed: fc.boolean(),
    }),
    { nil: undefined },
  );
  const aPort = fc
    .tuple(
      fc.constantFrom(...ips),
      fc.constantFrom("22/Tcp", "53/Tcp", "53/Udp", "80/Tcp", "139/Tcp", "445/Tcp", "50001/Tcp"),
      aService,
    )
    .map(([ip, port, service]): SeenAt => [ip, port, service]);
  const aSighting = fc
    .tuple(fc.shuffledSubarray(ips, { minLength: 1 }), fc.array(aPort, { maxLength: 12 }))
    .map(([own, ports]) =>
      seenHost(
        own,
        ports.filter(([ip]) => own.includes(ip)),
      ),
    );

  it("changes nothing when it is repeated, and removes nothing that was there", () => {
    fc.assert(
      fc.property(fc.array(aSighting, { minLength: 1, maxLength: 4 }), (sightings) => {
        let known: Recognized | null = null;
        for (const seen of sightings) {
          const planned = plan(seen, known);
          const next: Recognized = after(planned, known);
          expect(plan(seen, next).action).toBe("unchanged");
          const bindingsBefore = (known?.services ?? []).flatMap(({ entity }) => entity.bindings);
          const bindingsAfter = next.services.flatMap(({ entity }) => entity.bindings);
          expect(bindingsAfter).toEqual(expect.arrayContaining(bindingsBefore));
          known = next;
        }
      }),
    );
  });

  it("leaves valid bindings, unique ports and interfaces, and positions without gaps", () => {
    fc.assert(
      fc.property(fc.array(aSighting, { minLength: 1, maxLength: 4 }), (sightings) => {
        let known: Recognized | null = null;
        for (const seen of sightings) known = after(plan(seen, known), known);
        const { interfaces, ports, services } = known!;
        const judge = bindingJudge({
          interfaces: interfaces.map(({ entity }) => entity.id),
          ports: ports.map(({ entity }) => entity.id),
        });
        for (const { entity } of services)
          expect(resolveBindings(entity.bindings, judge).map(bindingKey).sort()).toEqual(
            entity.bindings.map(bindingKey).sort(),
          );
        for (const list of [
          interfaces.map(({ entity }) => entity.ip_address),
          ports.map(({ entity }) => `${entity.number}/${entity.protocol}`),
        ])
          expect(new Set(list).size).toBe(list.length);
        for (const list of [interfaces, services])
          expect(list.map(({ entity }) => entity.position)).toEqual(list.map((_, index) => index));
      }),
    );
  });
});
