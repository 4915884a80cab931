import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, refusalOf, skippedIn } from "../testing/reading.js";
import { netstat } from "./netstat.js";

describe("Sockets of netstat", () => {
  it.each([
    ["busybox", ["box []: SSH: 22/Tcp@all · dnsmasq: 53/Udp@all · uhttpd: 80/Tcp@all"], []],
    [
      "freebsd",
      ["box []: SSH: 22/Tcp@all · Syslog: 514/Udp@all"],
      ["5 socket tcp4 127.0.0.1.25: it listens on the loopback only"],
    ],
    [
      "linux-all",
      ["box [192.168.1.20, 2001:db8:1::20]: HTTPS: 443/Tcp@192.168.1.20 443/Tcp@2001:db8:1::20"],
      ["5 a connection: which end listens is not clear; list all sockets, as with `ss -H -tunap`"],
    ],
    [
      "linux",
      ["box []: Net-SNMP: 161/Udp@all · SSH: 22/Tcp@all · nginx: 80/Tcp@all"],
      [
        "4 socket tcp 127.0.0.1:5432: it listens on the loopback only",
        "7 socket udp 0.0.0.0:68: it is that of a DHCP client",
        "8 socket udp 0.0.0.0:45001: UDP from port 32768 on is most likely that of a client",
      ],
    ],
    ["macos", ["box []: SMB: 445/Tcp@all · VNC: 5900/Tcp@all · mDNS: 5353/Udp@all"], []],
    [
      "openbsd",
      ["box []: SSH: 22/Tcp@all · Syslog: 514/Udp@all"],
      ["4 socket tcp 127.0.0.1.25: it listens on the loopback only"],
    ],
    ["windows-de", ["box []: SMB: 445/Tcp@all · mDNS: 5353/Udp@all"], []],
    [
      "windows",
      ["box []: Microsoft RPC: 135/Tcp@all · NTP: 123/Udp@all · RDP: 3389/Tcp@all · SMB: 445/Tcp@all"],
      ["9 socket udp [fe80::1%12]:1900: its address is link-local"],
    ],
  ])("become services, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("netstat", name);
    expect(importedFrom([[file, "box"]])).toEqual(hosts);
    expect(skippedIn(netstat, file)).toEqual(skipped);
  });

  it("are required", () => {
    expect(refusalOf(netstat, "Active Internet connections (only servers)\n")).toBe(
      "line 1, column 1: must be sockets as printed by `netstat -tulpn` or `netstat -an`",
    );
  });
});
