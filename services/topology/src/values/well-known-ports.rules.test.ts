import { describe, expect, it } from "@jest/globals";
import { portType } from "./well-known-ports.rules.js";

describe("portType", () => {
  it.each([
    [22, "Tcp", "Ssh"],
    [23, "Tcp", "Telnet"],
    [25, "Tcp", "Smtp"],
    [80, "Tcp", "Http"],
    [110, "Tcp", "Pop3"],
    [143, "Tcp", "Imap"],
    [445, "Tcp", "Smb"],
    [1883, "Tcp", "Mqtt"],
    [3306, "Tcp", "MySql"],
    [5432, "Tcp", "PostgreSql"],
    [6379, "Tcp", "Redis"],
    [27017, "Tcp", "MongoDb"],
    [123, "Udp", "Ntp"],
    [161, "Udp", "Snmp"],
    [51820, "Udp", "WireGuard"],
  ] as const)("returns for port %i/%s %s", (number, protocol, name) => {
    expect(portType(number, protocol)).toBe(name);
  });

  it.each([
    [53, "Dns"],
    [389, "Ldap"],
    [443, "Https"],
    [514, "Syslog"],
    [3389, "Rdp"],
  ] as const)("returns for port %i %s on both protocols", (number, name) => {
    expect([portType(number, "Tcp"), portType(number, "Udp")]).toEqual([name, name]);
  });

  it.each([
    [22, "Udp"],
    [161, "Tcp"],
  ] as const)("returns Custom for %i/%s, which is well known on the other protocol only", (number, protocol) => {
    expect(portType(number, protocol)).toBe("Custom");
  });

  it.each([1, 12_345, 65_535])("returns Custom for port %i, which is not well known", (number) => {
    expect([portType(number, "Tcp"), portType(number, "Udp")]).toEqual(["Custom", "Custom"]);
  });

  it("names at least 60 ports, all in PascalCase", () => {
    const named = (["Tcp", "Udp"] as const)
      .flatMap((protocol) => Array.from({ length: 65_535 }, (_, index) => portType(index + 1, protocol)))
      .filter((name) => name !== "Custom");
    expect(named.length).toBeGreaterThanOrEqual(60);
    expect(named.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
  });
});
