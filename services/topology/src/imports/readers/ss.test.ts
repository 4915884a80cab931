import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { netstat } from "./netstat.js";
import { ss } from "./ss.js";

const imported = (name: string): string[] => importedFrom([[corpusFile("ss", name), "box"]]);
const skipped = (name: string): string[] => skippedIn(ss, corpusFile("ss", name));

describe("the sockets of a machine", () => {
  it.each([
    ["debian-web", "box []: SSH: 22/Tcp@all · nginx: 443/Tcp@all 80/Tcp@all"],
    ["ubuntu-desktop", "box []: SSH: 22/Tcp@all · mDNS: 5353/Udp@all · node: 3000/Tcp@all"],
    ["docker-host", "box [192.168.1.40]: SSH: 22/Tcp@all · WireGuard: 51820/Udp@all"],
    [
      "dns-server",
      "box [192.168.1.2, fd00:1::2]: BIND: 53/Tcp@192.168.1.2 53/Tcp@fd00:1::2 53/Udp@192.168.1.2 53/Udp@fd00:1::2 · DHCP: 67/Udp@all · SSH: 22/Tcp@all",
    ],
    [
      "unprivileged",
      "box []: NFS: 2049/Tcp@all · NTP: 123/Udp@all · RPC Portmapper: 111/Tcp@all 111/Udp@all · SMB: 139/Tcp@all 445/Tcp@all · SSH: 22/Tcp@all",
    ],
    ["tcp-only", "box []: Proxmox VE: 3128/Tcp@all 8006/Tcp@all · RPC Portmapper: 111/Tcp@all · SSH: 22/Tcp@all"],
    ["database-crlf", "box [10.20.0.9]: HTTP: 8080/Tcp@all · MySQL: 3306/Tcp@10.20.0.9 33060/Tcp@all"],
    [
      "everything",
      "box []: Asterisk: 5038/Tcp@all 5060/Udp@all · Prometheus Node Exporter: 9100/Tcp@all · door-control: 7777/Tcp@all",
    ],
    ["podman-pod", "box [10.1.2.3]: HTTPS: 8443/Tcp@all · Kubernetes API: 6443/Tcp@10.1.2.3 · SSH: 22/Tcp@10.1.2.3"],
  ])("become services where they listen: %s", (name, host) => {
    expect(imported(name)).toEqual([host]);
  });

  it("are left out when they are unreachable from outside or incomplete, each with its line and the reason", () => {
    expect(skipped("ubuntu-desktop")).toEqual([
      "2 socket udp 127.0.0.54:53: it listens on the loopback only",
      "3 socket udp 127.0.0.53%lo:53: it listens on the loopback only",
      "4 socket udp 192.168.1.34%enp3s0:68: it is that of a DHCP client",
      "5 socket udp 0.0.0.0:48321: UDP from port 32768 on is most likely that of a client",
      "7 socket udp [fe80::5054:ff:fe12:3456]%enp3s0:546: it is that of a DHCP client",
      "9 socket tcp 127.0.0.53%lo:53: it listens on the loopback only",
      "10 socket tcp 127.0.0.1:631: it listens on the loopback only",
    ]);
    expect(skipped("everything")).toEqual([
      "1 socket nl rtnl:NetworkManager/714: only TCP and UDP ports are supported",
      "2 socket p_raw *:eth0: only TCP and UDP ports are supported",
      "3 socket icmp6 *:ipv6-icmp: only TCP and UDP ports are supported",
      "5 socket sctp 0.0.0.0:36412: only TCP and UDP ports are supported",
      "9 line 9: it is not a socket as printed by ss",
    ]);
    expect(skipped("database-crlf")).toEqual([
      "5 socket tcp 0.0.0.0:ssh: its port is not a number from 1 to 65535; use ss -n",
      "3 a connection: which end listens is not clear; list all sockets, as with `ss -H -tunap`",
    ]);
    expect(skipped("podman-pod")).toEqual([
      "3 socket tcp 10.88.0.1:5000: bridges for containers have its address on every machine",
      "6 socket tcp 169.254.169.254:80: its address is link-local",
    ]);
    expect(skipped("dns-server")).toEqual([
      "2 socket udp 127.0.0.1:53: it listens on the loopback only",
      "5 socket udp 0.0.0.0%virbr0:67: virbr0 leads to containers or virtual machines inside of one machine",
      "6 socket udp 192.168.122.1:53: bridges for containers have its address on every machine",
      "9 socket tcp 127.0.0.1:953: it listens on the loopback only",
    ]);
  });
});

describe("UDP sockets of high ports", () => {
  const hasService = (program: string): boolean => {
    const file = `udp UNCONN 0 0 0.0.0.0:45001 0.0.0.0:* users:(("${program}",pid=1,fd=3))\n`;
    return (read(ss, file).hosts[0]?.ports.length ?? 0) > 0;
  };

  it.each(["tailscaled", "zerotier-one", "wireguard-go", "turnserver", "openvpn", "transmission-da", "rpc.mountd"])(
    "are services of programs that are: %s",
    (program) => {
      expect(hasService(program)).toBe(true);
    },
  );

  it.each(["firefox", "named", "dnsmasq", "avahi-daemon", "chronyd", "in.tftpd", "java"])(
    "are those of clients of others, and of programs that ask: %s",
    (program) => {
      expect(hasService(program)).toBe(false);
    },
  );
});

describe("the sockets of a machine: what a file covers", () => {
  const SOCKET = "tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n";
  const ADDRESS = "tcp 0 0 0.0.0.0:22 0.0.0.0:* LISTEN\n";

  it.each([
    ["the command of a complete list", ss, `# ss -H -tulnp\n${SOCKET}`, 1],
    ["the same with other options", ss, `# sudo ss -tln -p\nState Recv-Q Send-Q Local Peer\n${SOCKET}`, 1],
    ["no command", ss, SOCKET, 0],
    ["a heading, which filters of ss leave", ss, `State Recv-Q Send-Q Local Peer\n${SOCKET}`, 0],
    ["a filter", ss, `# ss -H -tln sport = :22\n${SOCKET}`, 0],
    ["one address family", ss, `# ss -4 -tln\n${SOCKET}`, 0],
    ["a line that is not understood", ss, `# ss -H -tulnp\n${SOCKET}what is this\n`, 0],
    ["the heading of netstat", netstat, `Active Internet connections (only servers)\n${ADDRESS}`, 1],
    ["netstat without it, as filtered by grep", netstat, ADDRESS, 0],
  ])("is all ports or none: %s", (_kind, reader, file, protocols) => {
    expect(read(reader, file).hosts[0]?.covered).toHaveLength(protocols);
  });
});

describe("the sockets of a machine: limits and rejected files", () => {
  it("are accepted up to the limits of an import", () => {
    const line = (n: number): string => `tcp LISTEN 0 0 10.${n >> 16}.${(n >> 8) & 255}.${n & 255}:80 0.0.0.0:*\n`;
    const file = Array.from({ length: 3_000 }, (_, n) => line(n)).join("");
    expect(read(ss, file).hosts[0]?.addresses.length).toBe(1_000);
    const ports = read(ss, "tcp LISTEN 0 0 *:80 *:*\n".repeat(100_005));
    expect([ports.hosts[0]?.ports.length, ports.skipped.count()]).toEqual([100_000, 5]);
  });

  it.each([
    ["another file", "hello\n", "line 1, column 1: must be a socket as printed by `ss -H -tulnp`"],
    [
      "bytes that are not UTF-8",
      Buffer.from([0x74, 0x63, 0x70, 0x0a, 0xff]),
      "line 1, column 1: must be in UTF-8 from here on",
    ],
    ["a line of a megabyte", "x".repeat(1_000_000), "line 1, column 1: must not be longer than 65536 characters"],
    [
      "a million lines too many",
      "\n".repeat(1_000_001),
      "line 1000001, column 1: an import reads at most 1000000 lines",
    ],
  ])("are rejected with the place in %s", (_what, file, refusal) => {
    expect(refusalOf(ss, file)).toBe(refusal);
  });
});

describe("lists of sockets in one file", () => {
  const socket = (number: number, pid: number, kind = "tcp LISTEN"): string =>
    `${kind} 0 128 0.0.0.0:${number} 0.0.0.0:* users:(("program",pid=${pid},fd=3))\n`;
  const HEADING = "Netid State Recv-Q Send-Q Local Peer\n";
  const WEB = `${socket(22, 700)}${socket(80, 710)}${socket(443, 710)}`;
  const DATABASE = `${socket(22, 650)}${socket(80, 655)}${socket(5432, 660)}`;

  it.each([
    ["each with its heading", `${HEADING}${WEB}${HEADING}${DATABASE}`, 5],
    ["each with its command", `# ss -H -tulnp\n${WEB}# ss -H -tulnp\n${DATABASE}`, 5],
    ["each after a prompt", `${WEB}root@db:~# ss -tlnp\n${DATABASE}`, 4],
    ["without anything between", `${WEB}${DATABASE}`, 4],
    [
      "without anything between, of UDP and TCP",
      `${socket(68, 1, "udp UNCONN")}${WEB}${socket(68, 2, "udp UNCONN")}${DATABASE}`,
      5,
    ],
  ])("of two machines are refused, with the place of the second: %s", (_how, file, line) => {
    expect(refusalOf(ss, file)).toMatch(
      new RegExp(`^line ${line}, column 1: is where a second list of sockets begins`),
    );
  });

  it.each([
    ["of TCP and UDP", `${HEADING}${WEB}${HEADING}${socket(53, 800, "udp UNCONN")}`],
    ["of IPv4 and IPv6", `${HEADING}${WEB}${HEADING}${WEB.replaceAll("0.0.0.0:", "[::]:")}`],
    ["the same one twice", `${HEADING}${WEB}${HEADING}${WEB}`],
    ["the same one twice without headings", `${WEB}${WEB}`],
    ["programs that share addresses", `${socket(80, 1)}${socket(80, 2)}${socket(443, 1)}${socket(443, 2)}`],
    [
      "a program that shares one with others between",
      `${socket(80, 1)}${socket(112, 5)}${socket(80, 2)}${socket(443, 1)}`,
    ],
  ])("of one machine are read: %s", (_how, file) => {
    expect(refusalOf(ss, file)).toBeNull();
  });

  it("as printed by netstat are told apart, too", () => {
    const file = corpusFile("netstat", "linux");
    const other = Buffer.from(file.toString().replaceAll(/\d+\//g, "4711/"));
    expect(refusalOf(netstat, Buffer.concat([file, other]))).toMatch(/second list of sockets/);
    expect(refusalOf(netstat, Buffer.concat([file, file]))).toBeNull();
  });
});
