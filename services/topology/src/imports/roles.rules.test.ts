import { describe, expect, it } from "@jest/globals";
import { type RoleEvidence, roleOf } from "./roles.rules.js";

const NOTHING: RoleEvidence = { vendors: [], os: null, model: null, services: [], ports: [] };

describe("the role of a host", () => {
  it.each<[ReturnType<typeof roleOf>, Partial<RoleEvidence>]>([
    [null, {}],
    [null, { vendors: ["Intel Corporate"], ports: [22, 80] }],
    [null, { services: ["SSH", "nginx"], ports: [22, 443] }],
    ["Server", { os: "Linux 5.4", services: ["SSH"], ports: [22] }],
    ["Server", { os: "Ubuntu 22.04", services: ["SSH", "nginx"] }],
    [null, { os: "Linux 5.4" }],
    ["Server", { os: "Microsoft Windows Server 2019", services: ["SMB"] }],
    ["Computer", { os: "Microsoft Windows 10 1809 - 2004" }],
    ["Computer", { os: "Apple macOS 12" }],
    ["Mobile", { os: "Apple iOS 15.0" }],
    ["Mobile", { vendors: ["Apple, Inc."], ports: [62078] }],
    ["Printer", { vendors: ["Hewlett Packard"], ports: [80, 631, 9100] }],
    ["Printer", { vendors: ["Brother Industries, LTD."] }],
    ["Printer", { services: ["IPP Printer", "SNMP"], ports: [631] }],
    ["Printer", { services: ["HP JetDirect"], ports: [80, 9100] }],
    ["Printer", { ports: [22, 515, 9100] }],
    [null, { services: ["PostgreSQL", "Prometheus Node Exporter"], ports: [5432, 9100] }],
    [null, { services: ["SSH", "HP JetDirect"], ports: [22, 9100] }],
    ["Nas", { vendors: ["Synology Incorporated"], services: ["CUPS"], ports: [631] }],
    ["Camera", { services: ["ONVIF Camera"] }],
    ["Iot", { services: ["Shelly"] }],
    [
      "Server",
      { os: "Debian 12", services: ["CUPS", "SSH", "Samba", "nginx", "PostgreSQL", "Redis", "Postfix"], ports: [631] },
    ],
    ["Camera", { vendors: ["Hangzhou Hikvision Digital Technology Co.,Ltd."], ports: [80, 554] }],
    ["Camera", { os: "AXIS 210A network camera (Linux 2.6) webcam" }],
    ["Nas", { vendors: ["Synology Incorporated"], os: "Linux 4.4", services: ["SSH", "SMB"] }],
    ["Nas", { services: ["TrueNAS", "SMB"] }],
    ["Hypervisor", { services: ["Proxmox VE", "SSH"], os: "Debian 12" }],
    ["Hypervisor", { os: "VMware ESXi 7.0" }],
    ["Firewall", { services: ["OPNsense", "DNS"], os: "FreeBSD 13" }],
    ["Router", { os: "MikroTik RouterOS 6.48 router" }],
    ["Router", { vendors: ["AVM Audiovisuelles Marketing und Computersysteme GmbH"], services: ["DNS"] }],
    ["Router", { ports: [8291] }],
    ["Switch", { os: "HP ProCurve 2510G switch" }],
    ["AccessPoint", { vendors: ["Ruckus Wireless"] }],
    ["AccessPoint", { os: "Linux 3.10 WAP" }],
    ["Phone", { vendors: ["Yealink(Xiamen) Network Technology Co.,Ltd."], ports: [80] }],
    ["Media", { vendors: ["Sonos, Inc."] }],
    ["Ups", { vendors: ["American Power Conversion Corp"] }],
    ["Iot", { vendors: ["Espressif Inc."], ports: [80] }],
  ])("is %s for %j", (role, evidence) => {
    expect(roleOf({ ...NOTHING, ...evidence })).toBe(role);
  });
});
