import { definer, tcp, udp } from "./definition.js";

const core = definer("NetworkCore");
const access = definer("NetworkAccess");
const security = definer("NetworkSecurity");
const snmp = definer("SNMP");
const dns = definer("DNS");
const adBlock = definer("AdBlock");
const vpn = definer("VPN");
const proxy = definer("ReverseProxy");

/** Network infrastructure, security and remote access. */
export const NETWORK = [
  core("DHCP", "Leases IPv4 addresses and network settings to hosts.", udp(67)),
  core("DHCPv6", "Leases IPv6 addresses and network settings to hosts.", udp(547)),
  core("NTP", "Keeps the clocks of a network in step.", udp(123)),
  core("mDNS", "Resolves host names on the local link without a server.", udp(5353)),
  core("SSDP", "Announces and finds UPnP devices on the local link.", udp(1900)),
  core("TFTP", "Hands out boot images and device configurations.", udp(69)),
  core("FRRouting", "Exchanges routes with neighbours over BGP, OSPF and other protocols.", tcp(179)),
  core("MikroTik RouterOS", "Routes, switches and filters on MikroTik devices.", tcp(22, 80, 443, 8291, 8728)),
  core("OpenWrt", "Turns home routers into configurable Linux routers.", tcp(22, 80, 443)),
  core("FRITZ!Box", "Connects a home to the internet with router, Wi-Fi and telephony.", tcp(80, 443, 49000)),
  core("NetBox", "Documents sites, racks, devices, cables and addresses.", tcp(80, 443)),

  access("UniFi Controller", "Manages Ubiquiti switches and access points.", tcp(8080, 8443), udp(3478, 10001)),
  access("UniFi Access Point", "Connects wireless clients to a UniFi network.", tcp(22)),
  access("Omada Controller", "Manages TP-Link switches and access points.", tcp(8043, 8088), udp(29810)),
  access("Cisco IOS", "Runs switches and routers made by Cisco.", tcp(22, 443)),
  access("SSH", "Opens an encrypted shell on a remote host.", tcp(22)),
  access("Telnet", "Opens an unencrypted terminal on a remote host.", tcp(23)),

  security("OPNsense", "Filters and routes traffic on a FreeBSD-based firewall.", tcp(22, 80, 443)),
  security("pfSense", "Filters and routes traffic as a firewall with a web interface.", tcp(22, 80, 443)),
  security("FortiGate", "Inspects and filters traffic at the edge of a company network.", tcp(22, 443, 541)),
  security("Sophos Firewall", "Filters traffic and blocks threats at the network edge.", tcp(22, 443, 4444)),
  security("CrowdSec", "Blocks addresses that it or its community saw attacking.", tcp(6060, 8080)),
  security("Suricata", "Detects and stops intrusions by inspecting packets."),
  security("Wazuh", "Collects security events from agents and raises alerts.", tcp(443, 1514, 1515, 55000)),
  security("Nessus", "Scans hosts for known vulnerabilities.", tcp(8834)),
  security("Squid", "Caches and filters the web access of clients.", tcp(3128)),

  snmp("SNMP", "Lets managers read and set the state of a device.", udp(161)),
  snmp("Net-SNMP", "Answers SNMP queries about the host it runs on.", udp(161)),
  snmp("SNMP Trap Receiver", "Takes in the notifications that devices send on their own.", udp(162)),

  dns("BIND", "Answers DNS queries as an authoritative server or resolver.", tcp(53), udp(53)),
  dns("Unbound", "Resolves names recursively, with validation and a cache.", tcp(53), udp(53)),
  dns("dnsmasq", "Forwards DNS queries and leases addresses in small networks.", tcp(53), udp(53, 67)),
  dns("PowerDNS Authoritative Server", "Answers for zones kept in a database.", tcp(53, 8081), udp(53)),
  dns("CoreDNS", "Answers DNS queries through a chain of plugins.", tcp(53, 9153), udp(53)),
  dns("Technitium DNS Server", "Resolves and hosts names under a web console.", tcp(53, 5380), udp(53)),

  adBlock("Pi-hole", "Keeps advertisements out of a network by filtering DNS.", tcp(53, 80, 443), udp(53)),
  adBlock("AdGuard Home", "Filters advertisements and trackers by DNS.", tcp(53, 80, 443, 853, 3000), udp(53)),
  adBlock("Blocky", "Filters DNS queries with block lists for groups of clients.", tcp(53, 4000), udp(53)),

  vpn("WireGuard", "Links hosts and networks through lean encrypted tunnels.", udp(51820)),
  vpn("OpenVPN", "Links hosts and networks through TLS-based tunnels.", tcp(1194), udp(1194)),
  vpn("Tailscale", "Joins devices in a private mesh built on WireGuard.", udp(41641)),
  vpn("Headscale", "Coordinates Tailscale clients from a server of one's own.", tcp(8080)),
  vpn("ZeroTier", "Joins devices in a virtual Ethernet network.", tcp(9993), udp(9993)),
  vpn("strongSwan", "Negotiates IPsec tunnels between hosts and networks.", udp(500, 4500)),

  proxy("nginx", "Serves web content and passes requests on to other servers.", tcp(80, 443)),
  proxy("Nginx Proxy Manager", "Sets up nginx hosts and certificates in a web interface.", tcp(80, 81, 443)),
  proxy("Traefik", "Routes requests to services it discovers by itself.", tcp(80, 443, 8080)),
  proxy("Caddy", "Serves and proxies web sites with automatic certificates.", tcp(80, 443, 2019), udp(443)),
  proxy("HAProxy", "Balances TCP and HTTP load between servers.", tcp(80, 443, 8404)),
  proxy("Envoy", "Carries traffic between services at the edge and inside a mesh.", tcp(9901, 10000)),
  proxy("Cloudflare Tunnel", "Publishes inner services through an outgoing connection."),
];
