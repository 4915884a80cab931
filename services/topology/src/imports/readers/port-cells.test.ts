import { describe, expect, it } from "@jest/globals";
import { isPortOfSwitch, portsInCell } from "./port-cells.js";

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
    ["tcp/80, udp/53", "", "80/Tcp 53/Udp"],
    ["TCP 443", "", "443/Tcp"],
    ["tcp:8000-8001", "", "8000/Tcp 8001/Tcp"],
    ["ssh (22), http (80)", "", "22/Tcp ssh 80/Tcp http"],
    ["443/https", "", "443/Tcp https"],
    ["22/ssh", "", "22/Tcp ssh"],
    ["53/udp/domain", "", "53/Udp domain"],
    ["80/443", "", "80/Tcp 443/Tcp"],
    ["80 & 443", "", "80/Tcp 443/Tcp"],
    ["80 und 443", "tcp", "80/Tcp 443/Tcp"],
    ["https", "", "its port is not a number from 1 to 65535"],
    ["1/0/4", "", "its port is not a number from 1 to 65535"],
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

describe("a port of a switch", () => {
  it.each(["Gi0/1", "GigabitEthernet1/0/24", "1/0/4", "ge-0/0/1", "#7", "LAN 1", "Port 3", "eth2", "te1/1.100"])(
    "is none of a machine: %s",
    (cell) => {
      expect(isPortOfSwitch(cell)).toBe(true);
    },
  );

  it.each([
    "22",
    "80,443",
    "80/443",
    "8000-8003",
    "tcp/80",
    "TCP 443",
    "53 tcp/udp",
    "22/tcp",
    "ssh (22)",
    "70000",
    "",
  ])("is not meant by %j", (cell) => {
    expect(isPortOfSwitch(cell)).toBe(false);
  });
});
