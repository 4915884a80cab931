import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { masscan, naabu } from "./port-scans.js";

describe("Scans of masscan", () => {
  it.each([
    [
      "banners",
      ["10.62.0.5 [10.62.0.5]: HTTPS: 8443/Tcp@10.62.0.5 · OpenSSH: 2222/Tcp@10.62.0.5"],
      ["3 banners of services: nothing is made of them (1 in the file)"],
    ],
    ["empty", [], []],
    ["formatted", ["10.65.0.5 [10.65.0.5]: MySQL: 3306/Tcp@10.65.0.5"], []],
    [
      "json",
      [
        "10.60.0.5 [10.60.0.5]: HTTPS: 443/Tcp@10.60.0.5 · SSH: 22/Tcp@10.60.0.5",
        "10.60.0.6 [10.60.0.6]: DNS: 53/Udp@10.60.0.6",
      ],
      [],
    ],
    [
      "list",
      [
        "10.64.0.5 [10.64.0.5]: HTTP: 80/Tcp@10.64.0.5 · OpenSSH: 22/Tcp@10.64.0.5",
        "10.64.0.6 [10.64.0.6]: SNMP: 161/Udp@10.64.0.6",
      ],
      [],
    ],
    ["ndjson", ["10.63.0.5 [10.63.0.5]: SSH: 22/Tcp@10.63.0.5"], ["2 port 25/tcp of 10.63.0.6: it is closed"]],
    [
      "odd",
      [],
      [
        "2 port 0/icmp of 10.66.0.5: only TCP and UDP ports are supported",
        "3 port 99999/tcp of 10.66.0.6: its number is not from 1 to 65535",
        "4 line 4: it is not an open port",
      ],
    ],
    ["older", ["10.61.0.5 [10.61.0.5]: HTTP: 80/Tcp@10.61.0.5"], []],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("masscan", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(masscan, file)).toEqual(skipped);
  });
});

describe("A banner of masscan", () => {
  it.each([
    ["a list", "banner tcp 80 10.64.0.5 1771234202 title Office of Example\n"],
    [
      "JSON",
      '{"ip":"10.64.0.5","timestamp":"1","ports":[{"port":80,"proto":"tcp","service":{"name":"title","banner":"Office of Example"}}]}\n',
    ],
  ])("is kept if it is the title of a page: %s", (_what, file) => {
    const { hosts, skipped } = read(masscan, file);
    expect(hosts[0]?.ports[0]?.says).toEqual({ title: "Office of Example" });
    expect(skipped.count()).toBe(0);
  });
});

describe("A banner of masscan that names a server", () => {
  it.each([
    ["ssh", "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3", "OpenSSH", "9.2p1"],
    ["ssh", "SSH-2.0-dropbear_2022.83", "dropbear", "2022.83"],
    ["http.server", "nginx/1.26.0", "nginx", "1.26.0"],
    ["http.server", "Apache/2.4.57 (Debian)", "Apache httpd", "2.4.57"],
    ["http.server", "lighttpd", "lighttpd", null],
    ["http", "HTTP/1.1 200 OK\\x0d\\x0aServer: nginx/1.26.0\\x0d\\x0aDate: x", "nginx", "1.26.0"],
    ["http", "HTTP/1.0 404 Not Found\\x0d\\x0aserver: micro_httpd\\x0d\\x0a", "micro_httpd", null],
    ["http", "HTTP/1.1 200 OK\\x0d\\x0aDate: x", null, undefined],
    ["constructor", "nginx/1.26.0", null, undefined],
  ])("says product and version: %s %s", (kind, banner, product, version) => {
    const file = `banner tcp 8022 10.64.0.5 1771234202 ${kind} ${banner}\n`;
    const service = read(masscan, file).hosts[0]?.ports[0]?.service;
    expect([service?.product, service?.version]).toEqual([product, version]);
  });
});

describe("A title of masscan", () => {
  it("is listed if it is too long to be kept", () => {
    const file = `banner tcp 80 10.64.0.5 1771234202 title ${"x".repeat(301)}\n`;
    expect(skippedIn(masscan, file)).toEqual([
      "1 title of port 80/tcp of 10.64.0.5: only its first 300 characters are kept",
    ]);
  });
});

describe("Scans of naabu", () => {
  it.each([
    [
      "addresses",
      ["10.71.0.5 [10.71.0.5]: HTTP: 80/Tcp@10.71.0.5", "10.71.0.6 [10.71.0.6]: HTTP: 8080/Tcp@10.71.0.6"],
      [],
    ],
    ["ipv6", ["2001:db8:77::5 [2001:db8:77::5]: SSH: 22/Tcp@2001:db8:77::5"], []],
    ["json", ["nas.lab.example [10.70.0.5]: HTTPS: 443/Tcp@10.70.0.5 · SSH: 22/Tcp@10.70.0.5"], []],
    ["names", ["10.75.0.5 [10.75.0.5]: SSH: 22/Tcp@10.75.0.5"], ["2 line 2: it is not an open port"]],
    ["older", ["10.72.0.5 [10.72.0.5]: SSH: 22/Tcp@10.72.0.5"], []],
    ["plain", ["10.73.0.5 [10.73.0.5]: HTTPS: 443/Tcp@10.73.0.5 · SSH: 22/Tcp@10.73.0.5"], []],
    ["truncated", ["10.76.0.5 [10.76.0.5]: HTTP: 80/Tcp@10.76.0.5"], ["2 line 2: it is not an open port"]],
    ["udp", ["10.74.0.5 [10.74.0.5]: SNMP: 161/Udp@10.74.0.5"], []],
  ])("become hosts, and what is left out has a line and a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("naabu", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(naabu, file)).toEqual(skipped);
  });
});

describe("A file that is no such scan", () => {
  it("is rejected with what it must be", () => {
    expect(refusalOf(masscan, "hello\n")).toBe("line 1, column 1: must be the output of `masscan -oJ`, `-oD` or `-oL`");
    expect(refusalOf(naabu, "hello\n")).toBe(
      "line 1, column 1: must be the output of `naabu -json`, or lines such as 10.0.0.1:80",
    );
  });
});
