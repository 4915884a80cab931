import { describe, expect, it } from "@jest/globals";
import { CATEGORIES } from "@nts/shared/contract";
import { CATALOGUE } from "./catalogue.js";
import { categoryOf } from "./categories.rules.js";

const RESERVED = ["OpenPorts", "Unknown", "Custom"];

describe("CATALOGUE", () => {
  it("contains at least 150 services", () => {
    expect(CATALOGUE.length).toBeGreaterThanOrEqual(150);
  });

  it("contains no duplicate names, ignoring case", () => {
    const names = CATALOGUE.map(({ name }) => name.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("has names of 1 to 100 characters without surrounding spaces", () => {
    expect(CATALOGUE.filter(({ name }) => !/^\S(.{0,98}\S)?$/.test(name))).toEqual([]);
  });

  it("describes every service in one sentence of at most 500 characters", () => {
    const oneSentence = /^[A-Z][^.!?]*\.$/;
    expect(CATALOGUE.filter(({ description }) => description.length > 500 || !oneSentence.test(description))).toEqual(
      [],
    );
  });

  it("assigns only categories of the contract", () => {
    expect(CATALOGUE.filter(({ category }) => !CATEGORIES.includes(category))).toEqual([]);
  });

  it.each(CATEGORIES.filter((category) => !RESERVED.includes(category)))(
    "has at least two services of %s",
    (expected) => {
      expect(CATALOGUE.filter(({ category }) => category === expected).length).toBeGreaterThanOrEqual(2);
    },
  );

  it.each(RESERVED)("has no service of %s", (reserved) => {
    expect(CATALOGUE.filter(({ category }) => category === reserved)).toEqual([]);
  });

  it("has ports that are integers from 1 to 65535 on Tcp or Udp", () => {
    const ports = CATALOGUE.flatMap((service) => service.ports);
    const valid = ({ number, protocol }: (typeof ports)[number]) =>
      Number.isInteger(number) && number >= 1 && number <= 65_535 && ["Tcp", "Udp"].includes(protocol);
    expect(ports.filter((port) => !valid(port))).toEqual([]);
  });

  it("lists no port twice within a service", () => {
    const repeats = CATALOGUE.filter(
      ({ ports }) => new Set(ports.map(({ number, protocol }) => `${number}/${protocol}`)).size < ports.length,
    );
    expect(repeats).toEqual([]);
  });
});

describe("categoryOf", () => {
  it("returns the category of every name in the catalogue", () => {
    expect(CATALOGUE.filter(({ name, category }) => categoryOf(name) !== category)).toEqual([]);
  });

  it.each([
    ["Pi-hole", "AdBlock"],
    ["PostgreSQL", "Database"],
    ["Home Assistant", "HomeAutomation"],
    ["Kubernetes API", "Virtualization"],
  ])("returns for %s the category %s", (name, category) => {
    expect(categoryOf(name)).toBe(category);
  });

  it.each(["postgresql", "POSTGRESQL", "pOsTgReSqL"])("finds PostgreSQL when it is written %s", (name) => {
    expect(categoryOf(name)).toBe("Database");
  });

  it.each(["Something of our own", "", " PostgreSQL", "constructor", "Database"])(
    "returns Custom for the unknown name %j",
    (name) => {
      expect(categoryOf(name)).toBe("Custom");
    },
  );
});
