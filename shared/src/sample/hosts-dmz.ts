import type { SampleHost } from "./data.js";

const VM = { type: "ProxmoxVM", details: { node: "pve2" } };
const CONTAINER = { type: "LXC", details: { node: "pve1" } };

/** Machines reachable from the internet. */
export const DMZ_HOSTS: readonly SampleHost[] = [
  {
    name: "Web proxy",
    hostname: "proxy.hq.example.com",
    description: "Ends TLS for everything that is reached from outside",
    tags: ["web", "critical"],
    virtualization: CONTAINER,
    interfaces: [["dmz", "10.20.40.10", "BC:24:11:0A:10:4C", "eth0"]],
    services: [
      ["nginx", "nginx", "80/Tcp", "443/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "Web shop",
    hostname: "shop.example.com",
    description: "The public shop; its database is on Database 1",
    tags: ["web", "critical"],
    virtualization: VM,
    interfaces: [["dmz", "10.20.40.11", "BC:24:11:0A:11:70", "eth0"]],
    services: [
      ["WordPress", "WordPress", "8080/Tcp"],
      ["Memcached", "Memcached", "11211/Tcp"],
    ],
  },
  {
    name: "Mail",
    hostname: "mail.example.com",
    description: "Mail of the company, inbound and outbound",
    tags: ["mail", "critical"],
    virtualization: VM,
    interfaces: [["dmz", "10.20.40.12", "BC:24:11:0A:12:05", "eth0"]],
    services: [
      ["Postfix", "Postfix", "25/Tcp", "587/Tcp"],
      ["Dovecot", "Dovecot", "993/Tcp"],
      ["Roundcube", "Roundcube", "443/Tcp"],
    ],
  },
];
