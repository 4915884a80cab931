import { describe, expect, it } from "@jest/globals";
import { HostCreate, type BindingInput } from "@nts/shared/contract";
import { AppError } from "@nts/shared/errors";
import { newHostOf, type NewHost } from "./new-host.js";

const NETWORK = "00000000-0000-7000-8000-0000000000aa";
const SUBNET = "00000000-0000-7000-8000-0000000000bb";
/** A local id in a body. */
const local = (n: number): string => `11111111-0000-4000-8000-${String(n).padStart(12, "0")}`;

const anInterface = (n: number, more: object = {}): object => ({
  id: local(n),
  subnet_id: SUBNET,
  ip_address: `10.0.0.${n}`,
  ...more,
});
const aPort = (n: number): object => ({ id: local(n), number: n, protocol: "Tcp" });
const aService = (name: string, ...bindings: BindingInput[]): object => ({ name, service_definition: "Own", bindings });
const port = (n: number, on: number | null = null): BindingInput => ({
  type: "Port",
  port_id: local(n),
  interface_id: on === null ? null : local(on),
});
const on = (n: number): BindingInput => ({ type: "Interface", interface_id: local(n) });

function made(body: object): NewHost {
  let ids = 0;
  const newId = (): string => `new${ids++}`;
  return newHostOf(HostCreate.parse({ network_id: NETWORK, name: "h", ...body }), {
    now: "now",
    newId,
    source: "Manual",
  });
}

function refusal(body: object): unknown {
  try {
    return made(body);
  } catch (error) {
    return error instanceof AppError ? { code: error.code, ...error.params } : error;
  }
}

describe("new-host: a host with its children in one request", () => {
  it("gives everything an id of its own, whatever ids were sent", () => {
    const { host, interfaces, ports, services } = made({
      id: local(9),
      interfaces: [anInterface(1)],
      ports: [aPort(80)],
      services: [{ ...aService("web"), id: local(7) }],
    });
    const ids = [host, ...interfaces, ...ports, ...services].map(({ id }) => id);
    expect(ids.every((id) => id.startsWith("new"))).toBe(true);
    expect(new Set(ids).size).toBe(4);
  });

  it("puts every child on the host and in its network, with the same creation time and source", () => {
    const { host, interfaces, ports, services } = made({
      source: { type: "Forged" },
      interfaces: [anInterface(1)],
      ports: [aPort(443)],
      services: [{ ...aService("web"), source: { type: "Forged" } }],
    });
    for (const child of [...interfaces, ...ports, ...services])
      expect(child).toMatchObject({ host_id: host.id, network_id: NETWORK, created_at: "now", updated_at: "now" });
    expect([host.source, services[0]!.source]).toEqual([{ type: "Manual" }, { type: "Manual" }]);
    expect(ports[0]!.type).toBe("Https");
  });

  it("replaces local ids in bindings with the ids from the server", () => {
    const { interfaces, ports, services } = made({
      interfaces: [anInterface(1), anInterface(2)],
      ports: [aPort(80), aPort(53)],
      services: [aService("web", port(80, 1)), aService("dns", port(53)), aService("ping", on(2))],
    });
    expect(services.map(({ bindings }) => bindings)).toEqual([
      [expect.objectContaining({ type: "Port", port_id: ports[0]!.id, interface_id: interfaces[0]!.id })],
      [expect.objectContaining({ type: "Port", port_id: ports[1]!.id, interface_id: null })],
      [expect.objectContaining({ type: "Interface", interface_id: interfaces[1]!.id })],
    ]);
    for (const { id, bindings } of services)
      expect(bindings).toEqual([expect.objectContaining({ service_id: id, network_id: NETWORK })]);
  });

  it("recognizes a local id in any notation of a UUID", () => {
    const name = "abcdef00-0000-4000-8000-00000000000f";
    const { ports, services } = made({
      ports: [{ ...aPort(80), id: name.toUpperCase() }],
      services: [aService("web", { type: "Port", port_id: `urn:uuid:${name}`, interface_id: null })],
    });
    expect(services[0]!.bindings).toEqual([expect.objectContaining({ port_id: ports[0]!.id })]);
  });

  it("stores addresses in their canonical form", () => {
    const { interfaces } = made({ interfaces: [anInterface(1, { ip_address: "2001:DB8:0::1" })] });
    expect(interfaces[0]!.ip_address).toBe("2001:db8::1");
  });

  it("numbers interfaces and services from 0 without gaps, each list separately", () => {
    const { interfaces, services } = made({
      interfaces: [anInterface(1), anInterface(2, { position: 0 }), anInterface(3, { position: 40 })],
      services: [aService("a"), { ...aService("b"), position: 0 }],
    });
    expect(interfaces.map(({ position }) => position)).toEqual([1, 0, 2]);
    expect(services.map(({ position }) => position)).toEqual([1, 0]);
  });
});

describe("new-host: rejected bodies", () => {
  it("rejects a local id that is used twice, also by an interface and a port, with every repetition", () => {
    expect(refusal({ interfaces: [anInterface(1), anInterface(1)], ports: [aPort(2), aPort(1), aPort(2)] })).toEqual({
      code: "validation_failed",
      errors: ["interfaces.1.id", "ports.1.id", "ports.2.id"].map((path) => ({ path, message: expect.any(String) })),
    });
  });

  it("rejects bindings to anything that is not in the body, with the places of all of them", () => {
    const body = {
      interfaces: [anInterface(1)],
      ports: [aPort(80)],
      services: [aService("a", port(80), port(99)), aService("b"), aService("c", port(80, 77), on(78))],
    };
    expect(refusal(body)).toEqual({
      code: "binding_cross_host",
      violations: [
        { service: 0, index: 1, type: "Port", port_id: local(99) },
        { service: 2, index: 0, type: "Port", interface_id: local(77) },
        { service: 2, index: 1, type: "Interface", interface_id: local(78) },
      ],
    });
  });

  it("rejects conflicts within a service, with every pair of every service", () => {
    const children = { interfaces: [anInterface(1), anInterface(2)], ports: [aPort(80)] };
    expect(
      refusal({ ...children, services: [aService("a", on(1), port(80)), aService("b", port(80, 2), on(2))] }),
    ).toEqual({
      code: "binding_conflict",
      violations: [
        { service: 0, index: 0, interface_id: local(1), conflicts_with: 1, port_id: local(80) },
        { service: 1, index: 1, interface_id: local(2), conflicts_with: 0, port_id: local(80) },
      ],
    });
  });

  it("lets two services share a port, and one bind an interface that the other's port is on", () => {
    const children = { interfaces: [anInterface(1)], ports: [aPort(80)] };
    const { services } = made({
      ...children,
      services: [aService("a", port(80, 1)), aService("b", port(80, 1)), aService("c", on(1))],
    });
    expect(services.map(({ bindings }) => bindings.length)).toEqual([1, 1, 1]);
  });

  it("reports foreign bindings before conflicts", () => {
    const body = { interfaces: [anInterface(1)], ports: [aPort(80)] };
    expect(refusal({ ...body, services: [aService("a", on(1), port(80)), aService("b", port(99))] })).toMatchObject({
      code: "binding_cross_host",
      violations: [{ service: 1, index: 0 }],
    });
  });
});
