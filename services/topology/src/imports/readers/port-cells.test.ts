import { describe, expect, it } from "@jest/globals";
import { portsInCell } from "./port-cells.js";

const read = (cell: string, protocols = ""): string => {
  const found = portsInCell(cell, protocols);
  if ("reason" in found) return found.reason;
  return found.map(({ number, protocol, name }) => `${number}/${protocol}${name === null ? "" : ` ${name}`}`).join(" ");
};

describe("the ports of a cell", () => {
  it.each([
    ["22", "", "22/Tcp"],
    ["80,443", "tcp", "80/Tcp 443/Tcp"],
    ["80, 443; 8080", "TCP", "80/Tcp 443/Tcp 8080/Tcp"],
    ["80 443 8080", "", "80/Tcp 443/Tcp 8080/Tcp"],
    ["8000-8003", "", "8000/Tcp 8001/Tcp 8002/Tcp 8003/Tcp"],
    ["22, 8000 - 8001", "", "22/Tcp 8000/Tcp 8001/Tcp"],
    ["53 tcp/udp", "", "53/Tcp 53/Udp"],
    ["53", "tcp/udp", "53/Tcp 53/Udp"],
    ["53", "both", "53/Tcp 53/Udp"],
    ["80/tcp, 161/udp", "", "80/Tcp 161/Udp"],
    ["443/tcp (https), 22 (ssh)", "", "443/Tcp https 22/Tcp ssh"],
    ["80,80", "", "80/Tcp"],
    ["", "", ""],
    ["Gi1/0/4", "", "its port is not a number from 1 to 65535"],
    ["0", "", "its port is not a number from 1 to 65535"],
    ["70000", "", "its port is not a number from 1 to 65535"],
    ["9-5", "", "its port is not a number from 1 to 65535"],
    ["1-65535", "", "1-65535 are more than 100 ports"],
    ["22", "icmp", "only TCP and UDP ports are supported"],
    ["22/sctp", "tcp", "only TCP and UDP ports are supported"],
  ])("%j with the protocol %j", (cell, protocols, expected) => {
    expect(read(cell, protocols)).toBe(expected);
  });
});
