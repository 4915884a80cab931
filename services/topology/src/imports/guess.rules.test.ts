import { describe, expect, it } from "@jest/globals";
import { CATALOGUE } from "../values/definitions/catalogue.js";
import { guessOf } from "./guess.rules.js";
import { DEFINITION_OF_NAME, DEFINITION_OF_PRODUCT } from "./known-services.rules.js";
import type { SeenService } from "./scan.rules.js";

const service = (name: string | null, more: Partial<SeenService> = {}): SeenService => ({
  ...{ name, product: null, isWrapped: false, isProbed: true },
  ...more,
});

describe("the guessed definition of a service", () => {
  it.each([
    ["from the product", 8081, service("http", { product: "nginx" }), "nginx", "product"],
    ["from the beginning of the product", 2222, service("ssh", { product: "OpenSSH" }), "SSH", "product"],
    [
      "from the longest beginning",
      8080,
      service("http", { product: "Apache Tomcat/Coyote JSP engine" }),
      "Apache Tomcat",
      "product",
    ],
    ["not from half a word", 9999, service("ssh", { product: "nginxish" }), "SSH", "service_name"],
    ["from the name of the service", 2222, service("ssh"), "SSH", "service_name"],
    ["from the name inside TLS", 8443, service("http", { isWrapped: true }), "HTTPS", "service_name"],
    [
      "from the name of a protocol that always uses TLS",
      6697,
      service("ssh", { isWrapped: true }),
      "SSH",
      "service_name",
    ],
    ["from the port, when only one definition has it", 32400, service("unknown"), "Plex", "port"],
    [
      "from the port, when the service only speaks HTTP and one definition has it",
      5601,
      service("http"),
      "Kibana",
      "port",
    ],
    ["from the name, when many definitions have the port", 8080, service("http"), "HTTP", "service_name"],
    ["from the well-known name of the port", 25, null, "SMTP", "port"],
    ["from the well-known name of the port as it is", 111, null, "RPC Portmapper", "port"],
    ["from an unknown name that the scanner reported", 50_001, service("finger"), "finger", "service_name"],
  ] as const)("%s", (_what, number, seen, definition, from) => {
    expect(guessOf({ number, protocol: "Tcp" }, seen)).toMatchObject({ definition, from });
  });

  it.each([
    ["nothing is reported of an unknown port", null],
    ["the scanner does not know", service("unknown")],
    ["the scanner only reports that the port is open", service("tcpwrapped")],
    ["the name only follows from the number", service("finger", { isProbed: false })],
    ["the name is that of an object member", service("constructor", { isProbed: false })],
  ])("is absent when %s", (_what, seen) => {
    expect(guessOf({ number: 50_001, protocol: "Tcp" }, seen)).toBeNull();
  });

  it("is the catalogue entry in its own spelling", () => {
    const names = new Map(CATALOGUE.map(({ name }) => [name.toLowerCase(), name]));
    const written = [...Object.values(DEFINITION_OF_NAME), ...Object.values(DEFINITION_OF_PRODUCT)];
    const wrong = written.filter((name) => (names.get(name!.toLowerCase()) ?? name) !== name);
    expect(wrong).toEqual([]);
  });

  it("is derived from the product when that is known", () => {
    const at = { number: 22, protocol: "Tcp" } as const;
    expect(guessOf(at, service("ssh", { product: "OpenSSH" }))).toMatchObject({ name: "OpenSSH", isProduct: true });
    expect(guessOf(at, service("ssh"))).toMatchObject({ name: "SSH", isProduct: false });
  });
});
