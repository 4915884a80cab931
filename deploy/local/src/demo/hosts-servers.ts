import type { DemoHost } from "./data.js";

const VM = { type: "ProxmoxVM", details: { node: "pve1" } };
const CONTAINER = { type: "LXC", details: { node: "pve2" } };

/** Machines in the server room. */
export const SERVER_HOSTS: readonly DemoHost[] = [
  {
    name: "Firewall",
    hostname: "fw1.hq.example.com",
    description: "Routes between all segments and ends the VPN of the branch offices",
    tags: ["network", "critical"],
    interfaces: [
      ["servers", "10.20.10.1", "00:0D:B9:4F:1A:20", "igb0"],
      ["office", "10.20.20.1", "00:0D:B9:4F:1A:21", "igb1"],
      ["iot", "10.20.30.1", "00:0D:B9:4F:1A:22", "igb2"],
      ["dmz", "10.20.40.1", "00:0D:B9:4F:1A:23", "igb3"],
    ],
    services: [
      ["OPNsense console", "OPNsense", "443/Tcp@0"],
      ["WireGuard", "WireGuard", "51820/Udp@3"],
      ["Unbound", "Unbound", "53/Udp", "53/Tcp"],
      ["SNMP agent", "SNMP", "161/Udp@0"],
    ],
  },
  {
    name: "Core switch",
    hostname: "sw-core.hq.example.com",
    description: "48 ports in the server room, trunks to both floors",
    tags: ["network", "critical"],
    interfaces: [["servers", "10.20.10.2", "78:8A:20:C1:05:10", "mgmt0"]],
    services: [
      ["Switch console", "SSH", "22/Tcp"],
      ["SNMP agent", "SNMP", "161/Udp"],
    ],
  },
  {
    name: "Proxmox 1",
    hostname: "pve1.hq.example.com",
    description: "First node of the virtualization cluster",
    tags: ["hypervisor"],
    interfaces: [["servers", "10.20.10.11", "AC:1F:6B:7D:20:01", "vmbr0"]],
    services: [
      ["Proxmox VE", "Proxmox VE", "8006/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "Proxmox 2",
    hostname: "pve2.hq.example.com",
    description: "Second node of the virtualization cluster",
    tags: ["hypervisor"],
    interfaces: [["servers", "10.20.10.12", "AC:1F:6B:7D:20:5E", "vmbr0"]],
    services: [
      ["Proxmox VE", "Proxmox VE", "8006/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "NAS",
    hostname: "nas.hq.example.com",
    description: "File shares and the target of all backups",
    tags: ["storage", "critical"],
    interfaces: [
      ["servers", "10.20.10.20", "00:11:32:A4:6B:02", "eth0"],
      ["office", "10.20.20.20", "00:11:32:A4:6B:03", "eth1"],
    ],
    services: [
      ["DiskStation Manager", "Synology DSM", "5001/Tcp@0"],
      ["File shares", "Samba", "445/Tcp@1"],
      ["NFS exports", "NFS", "2049/Tcp@0"],
      ["MinIO", "MinIO", "9000/Tcp@0", "9001/Tcp@0"],
    ],
  },
  {
    name: "Backup server",
    hostname: "backup.hq.example.com",
    description: "Nightly copies of the virtual machines, kept for ninety days",
    tags: ["storage"],
    interfaces: [["servers", "10.20.10.21", "AC:1F:6B:90:44:7C", "eno1"]],
    services: [
      ["Proxmox Backup Server", "Proxmox Backup Server", "8007/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "Directory",
    hostname: "dc1.hq.example.com",
    description: "Accounts and groups of all employees",
    tags: ["identity", "critical"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.30", "BC:24:11:0A:30:01", "eth0"]],
    services: [
      ["Active Directory", "Active Directory", "389/Tcp", "636/Tcp"],
      ["Kerberos", "Kerberos", "88/Tcp", "88/Udp"],
    ],
  },
  {
    name: "Single sign-on",
    hostname: "sso.hq.example.com",
    description: "One login for all internal applications",
    tags: ["identity"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.31", "BC:24:11:0A:31:5D", "eth0"]],
    services: [
      ["Keycloak", "Keycloak", "8443/Tcp"],
      ["Keycloak database", "PostgreSQL", "5432/Tcp"],
    ],
  },
  {
    name: "DNS filter",
    hostname: "pihole.hq.example.com",
    description: "Answers the name queries of the office and blocks advertising",
    tags: ["network"],
    virtualization: CONTAINER,
    interfaces: [["servers", "10.20.10.35", "BC:24:11:0A:35:8E", "eth0"]],
    services: [
      ["Pi-hole", "Pi-hole", "80/Tcp", "53/Udp", "53/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "Database 1",
    hostname: "db1.hq.example.com",
    description: "Primary of the application databases",
    tags: ["database", "critical"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.40", "BC:24:11:0A:40:11", "eth0"]],
    services: [
      ["PostgreSQL", "PostgreSQL", "5432/Tcp"],
      ["PgBouncer", "PgBouncer", "6432/Tcp"],
      ["Node exporter", "Prometheus Node Exporter", "9100/Tcp"],
    ],
  },
  {
    name: "Database 2",
    hostname: "db2.hq.example.com",
    description: "Streaming replica of Database 1, and the document store",
    tags: ["database"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.41", "BC:24:11:0A:41:9F", "eth0"]],
    services: [
      ["PostgreSQL replica", "PostgreSQL", "5432/Tcp"],
      ["MongoDB", "MongoDB", "27017/Tcp"],
      ["Redis", "Redis", "6379/Tcp"],
    ],
  },
  {
    name: "Messaging",
    hostname: "mq.hq.example.com",
    description: "Queues between the shop and the warehouse",
    tags: ["application"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.45", "BC:24:11:0A:45:27", "eth0"]],
    services: [
      ["RabbitMQ", "RabbitMQ", "5672/Tcp", "15672/Tcp"],
      ["NATS", "NATS", "4222/Tcp"],
    ],
  },
  {
    name: "Monitoring",
    hostname: "mon.hq.example.com",
    description: "Metrics, logs and alarms of every segment",
    tags: ["monitoring"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.50", "BC:24:11:0A:50:D3", "eth0"]],
    services: [
      ["Grafana", "Grafana", "3000/Tcp"],
      ["Prometheus", "Prometheus", "9090/Tcp"],
      ["Alertmanager", "Alertmanager", "9093/Tcp"],
      ["Loki", "Grafana Loki", "3100/Tcp"],
      ["Uptime Kuma", "Uptime Kuma", "3001/Tcp"],
    ],
  },
  {
    name: "Git",
    hostname: "git.hq.example.com",
    description: "Repositories, packages and pipelines of the development team",
    tags: ["development"],
    virtualization: VM,
    interfaces: [["servers", "10.20.10.55", "BC:24:11:0A:55:6A", "eth0"]],
    services: [
      ["Gitea", "Gitea", "3000/Tcp"],
      ["Git over SSH", "SSH", "22/Tcp"],
      ["Jenkins", "Jenkins", "8080/Tcp"],
    ],
  },
  {
    name: "Container host",
    hostname: "docker1.hq.example.com",
    description: "Small internal applications as containers",
    tags: ["application"],
    virtualization: VM,
    interfaces: [
      ["servers", "10.20.10.60", "BC:24:11:0A:60:B8", "eth0"],
      ["dmz", "10.20.40.20", "BC:24:11:0A:60:B9", "eth1"],
    ],
    services: [
      ["Portainer", "Portainer", "9443/Tcp@0"],
      ["Nextcloud", "Nextcloud", "8081/Tcp@1"],
      ["Paperless", "Paperless-ngx", "8000/Tcp@0"],
      ["Vaultwarden", "Vaultwarden", "8082/Tcp@0"],
      ["Docker engine", "Docker"],
    ],
  },
];
