import type { DemoHost } from "./data.js";

/** Machines on the two office floors, and building technology. */
export const OFFICE_HOSTS: readonly DemoHost[] = [
  {
    name: "Access point first floor",
    hostname: "ap-1.hq.example.com",
    description: "Wireless for the first floor",
    tags: ["network"],
    interfaces: [["office", "10.20.20.5", "F4:92:BF:31:77:A0", "br0"]],
    services: [
      ["Management", "SSH", "22/Tcp"],
      ["SNMP agent", "SNMP", "161/Udp"],
    ],
  },
  {
    name: "Access point second floor",
    hostname: "ap-2.hq.example.com",
    description: "Wireless for the second floor",
    tags: ["network"],
    interfaces: [["office", "10.20.20.6", "F4:92:BF:31:7B:42", "br0"]],
    services: [
      ["Management", "SSH", "22/Tcp"],
      ["SNMP agent", "SNMP", "161/Udp"],
    ],
  },
  {
    name: "Wireless controller",
    hostname: "unifi.hq.example.com",
    description: "Configures the access points and the guest portal",
    tags: ["network"],
    interfaces: [["office", "10.20.20.7", "74:AC:B9:02:1D:38", "eth0"]],
    services: [
      ["UniFi Network", "UniFi Controller", "8443/Tcp", "8080/Tcp"],
      ["Guest portal", "UniFi Controller", "8843/Tcp"],
    ],
  },
  {
    name: "Telephone system",
    hostname: "pbx.hq.example.com",
    description: "Forty extensions and the line to the provider",
    tags: ["telephony"],
    interfaces: [["office", "10.20.20.30", "00:0C:29:5E:81:F4", "ens192"]],
    services: [
      ["Asterisk", "Asterisk", "5060/Udp", "5061/Tcp"],
      ["Switchboard", "FreePBX", "443/Tcp"],
    ],
  },
  {
    name: "Printer first floor",
    hostname: "prn-1.hq.example.com",
    description: "Colour printer next to the kitchen",
    tags: ["printer"],
    interfaces: [["office", "10.20.20.41", "3C:2A:F4:6C:09:E1", "lan"]],
    services: [
      ["Printing", "IPP Printer", "631/Tcp"],
      ["Raw printing", "HP JetDirect", "9100/Tcp"],
    ],
  },
  {
    name: "Printer second floor",
    hostname: "prn-2.hq.example.com",
    description: "Large format printer of the planning office",
    tags: ["printer"],
    interfaces: [["office", "10.20.20.42", "30:05:5C:A7:13:5B", "lan"]],
    services: [
      ["Printing", "IPP Printer", "631/Tcp"],
      ["Raw printing", "HP JetDirect", "9100/Tcp"],
    ],
  },
  {
    name: "Accounting workstation",
    hostname: "ws-accounting.hq.example.com",
    description: "Runs the accounting package that exists for Windows only",
    tags: ["workstation"],
    interfaces: [["office", "10.20.20.101", "A4:BB:6D:18:C3:92", "Ethernet"]],
    services: [
      ["Remote desktop", "RDP", "3389/Tcp"],
      ["File sharing", "Samba", "445/Tcp"],
    ],
  },
  {
    name: "Design workstation",
    hostname: "ws-design.hq.example.com",
    description: "Mac of the design team",
    tags: ["workstation"],
    interfaces: [["office", "10.20.20.102", "F0:18:98:4D:AA:37", "en0"]],
    services: [
      ["Screen sharing", "VNC", "5900/Tcp"],
      ["SSH", "SSH", "22/Tcp"],
    ],
  },
  {
    name: "Developer workstation",
    hostname: "ws-dev.hq.example.com",
    description: "Linux machine with a local copy of the shop",
    tags: ["workstation", "development"],
    interfaces: [["office", "10.20.20.103", "D8:BB:C1:70:2F:66", "enp5s0"]],
    services: [
      ["SSH", "SSH", "22/Tcp"],
      ["Test database", "MySQL", "3306/Tcp"],
    ],
  },
  {
    name: "Meeting room display",
    hostname: "tv-meeting.hq.example.com",
    description: "Screen of the large meeting room",
    tags: ["media"],
    interfaces: [["office", "10.20.20.150", "64:1C:AE:5A:08:D9", "wlan0"]],
    services: [
      ["AirPlay", "AirPlay", "7000/Tcp"],
      ["Chromecast", "Chromecast", "8009/Tcp"],
    ],
  },
  {
    name: "Building control",
    hostname: "home.hq.example.com",
    description: "Heating, lights and shutters of the whole building",
    tags: ["building", "critical"],
    interfaces: [
      ["iot", "10.20.30.10", "B8:27:EB:5C:40:1E", "eth0"],
      ["office", "10.20.20.10", "B8:27:EB:5C:40:1F", "eth1"],
    ],
    services: [
      ["Home Assistant", "Home Assistant", "8123/Tcp@1"],
      ["Mosquitto", "Eclipse Mosquitto", "1883/Tcp@0"],
      ["Zigbee2MQTT", "Zigbee2MQTT", "8099/Tcp@0"],
      ["Node-RED", "Node-RED", "1880/Tcp@1"],
    ],
  },
  {
    name: "Light bridge",
    hostname: "hue.hq.example.com",
    description: "Lamps of the entrance hall",
    tags: ["building"],
    interfaces: [["iot", "10.20.30.20", "EC:B5:FA:1B:9C:04", "eth0"]],
    services: [["Hue bridge", "Philips Hue Bridge", "443/Tcp"]],
  },
  {
    name: "Door station",
    hostname: "door.hq.example.com",
    description: "Intercom and card reader at the main entrance",
    tags: ["building"],
    interfaces: [["iot", "10.20.30.21", "1C:CA:E3:47:F2:8D", "eth0"]],
    services: [
      ["Intercom", "SIP Phone", "5060/Udp"],
      ["Door console", "2N Intercom", "80/Tcp"],
    ],
  },
  {
    name: "Camera yard",
    hostname: "cam-yard.hq.example.com",
    description: "Loading bay and parking",
    tags: ["building", "camera"],
    interfaces: [["iot", "10.20.30.31", "AC:CC:8E:2D:65:B0", "eth0"]],
    services: [["Video stream", "ONVIF Camera", "554/Tcp"]],
  },
  {
    name: "Video recorder",
    hostname: "nvr.hq.example.com",
    description: "Keeps the pictures of the cameras for three days",
    tags: ["building", "camera"],
    interfaces: [["iot", "10.20.30.30", "00:25:90:E6:31:7A", "eth0"]],
    services: [
      ["Frigate", "Frigate", "5000/Tcp"],
      ["Restream", "go2rtc", "8554/Tcp"],
    ],
  },
  {
    name: "Power meter",
    hostname: "meter.hq.example.com",
    description: "Consumption of both floors and yield of the solar panels",
    tags: ["building"],
    interfaces: [["iot", "10.20.30.40", "24:A1:60:0F:D8:53", "wlan0"]],
    services: [["Modbus gateway", "Modbus TCP", "502/Tcp"]],
  },
];
