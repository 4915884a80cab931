import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { lsof } from "./lsof.js";

describe("Sockets of lsof", () => {
  it.each([
    [
      "closed",
      ["box []: node: 3000/Tcp@all"],
      ["3 socket tcp 10.0.0.8:3000: it does not listen", "4 line 4: it is not a socket as printed by lsof"],
    ],
    ["established", ["box []: Samba: 445/Tcp@all"], ["2 socket tcp 192.168.1.20:22: it does not listen"]],
    [
      "ipv6",
      ["box [2001:db8:1::20]: Caddy: 443/Tcp@2001:db8:1::20"],
      ["3 socket tcp [::1]:2019: it listens on the loopback only"],
    ],
    [
      "linux",
      ["box [192.168.1.20]: Net-SNMP: 161/Udp@all · SSH: 22/Tcp@all · nginx: 443/Tcp@192.168.1.20"],
      ["6 socket tcp 127.0.0.1:5432: it listens on the loopback only"],
    ],
    ["macos", ["box []: Plex Me: 32400/Tcp@all · VNC: 5900/Tcp@all · mDNS: 5353/Udp@all"], []],
    [
      "names",
      ["box [10.0.0.7]: CUPS: 631/Tcp@10.0.0.7"],
      ["2 socket tcp *:ssh: its port is not a number from 1 to 65535; use lsof -nP"],
    ],
    ["threads", ["box [10.0.0.9]: MongoDB: 27017/Tcp@10.0.0.9"], []],
    ["udp", ["box []: Tailscale: 41641/Udp@all · dnsmasq: 53/Udp@all"], []],
  ])("become services, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("lsof", name);
    expect(importedFrom([[file, "box"]])).toEqual(hosts);
    expect(skippedIn(lsof, file)).toEqual(skipped);
  });

  it("that are not listed may be those of other users, and are not missed", () => {
    expect(read(lsof, corpusFile("lsof", "linux")).hosts[0]?.covered).toEqual([]);
  });

  it("are required", () => {
    expect(refusalOf(lsof, "hello\n")).toBe("line 1, column 1: must be sockets as printed by `lsof -nP -i`");
  });
});
