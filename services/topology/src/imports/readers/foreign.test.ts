import { describe, expect, it } from "@jest/globals";
import { adviceFor } from "./foreign.js";

describe("a file that is not read", () => {
  it.each([
    ["neighbours by CDP", "core1#show cdp neighbors detail\n----------------------\nDevice ID: sw2\n", /snmpwalk -On/],
    ["those without a prompt", "-------------------------\nDevice ID: sw2\nEntry address(es):\n", /snmpwalk -On/],
    [
      "neighbours by LLDP",
      "Capability codes:\n    (R) Router, (B) Bridge\n\nDevice ID           Local Intf     Hold-time  Capability      Port ID\n",
      /snmpwalk -On/,
    ],
    ["addresses alone", "10.0.0.1\n10.0.0.2\n10.0.0.3\n", /headings ip_address and hostname/],
    ["leases by netsh", "\nChanged the current scope context to 10.0.0.0 scope.\n".trim(), /Get-DhcpServerv4Lease/],
    ["findings of Nessus", '"Plugin ID","CVE","CVSS","Risk","Host"\n', /scan with nmap -oX/],
    ["Fing without headings", "10.0.0.1;up;;2026/11/29 10:00:00;gw;00:11:32:00:00:01;AVM\n", /IP Address;State/],
    ["Compose without services", "# home\nweb:\n  image: nginx:1.25\n", /write `services:` above/],
    [
      "a transfer of a zone",
      "; <<>> DiG 9.18 <<>> axfr lan\n;; global options: +cmd\nlan. 60 IN SOA ns. a. 1 2 3 4 5\n",
      /as in \/etc\/hosts/,
    ],
    ["ip -br address", "lo               UNKNOWN        127.0.0.1/8 ::1/128\n", /ip -j neigh/],
  ])("is refused with what to import instead: %s", (_what, beginning, advice) => {
    expect(adviceFor(beginning)).toMatch(advice);
  });

  it("is no table, hosts file or Compose file that is", () => {
    for (const beginning of [
      "10.0.0.1 nas\n10.0.0.2 tv\n",
      "ip,name\n10.0.0.1,nas\n",
      "x-web:\n  image: nginx\nservices:\n",
    ])
      expect(adviceFor(beginning)).toBeNull();
  });
});
