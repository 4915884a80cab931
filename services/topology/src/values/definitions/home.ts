import { definer, tcp, udp } from "./definition.js";

const media = definer("Media");
const home = definer("HomeAutomation");
const iot = definer("IoT");
const printer = definer("Printer");
const workstation = definer("Workstation");
const mobile = definer("Mobile");

/** Home services and devices. */
export const HOME = [
  media("Plex", "Organizes films, series and music and streams them.", tcp(32400), udp(32410, 32412, 32413, 32414)),
  media("Jellyfin", "Streams a media collection with free software.", tcp(8096, 8920), udp(7359)),
  media("Emby", "Streams a media collection to many kinds of devices.", tcp(8096, 8920), udp(7359)),
  media("Sonarr", "Keeps a collection of series up to date.", tcp(8989)),
  media("Radarr", "Keeps a collection of films up to date.", tcp(7878)),
  media("qBittorrent", "Downloads and shares torrents.", tcp(6881, 8080), udp(6881)),
  media("Transmission", "Downloads and shares torrents with few resources.", tcp(9091, 51413), udp(51413)),
  media("Immich", "Backs up and organizes photos and videos.", tcp(2283)),
  media("Chromecast", "Plays on a television what other devices cast to it.", tcp(8008, 8009)),

  home("Home Assistant", "Brings the devices of a home together and automates them.", tcp(8123)),
  home("openHAB", "Automates a home across vendors with rules.", tcp(8080, 8443)),
  home("Node-RED", "Wires devices and services together as flows.", tcp(1880)),
  home("Zigbee2MQTT", "Bridges Zigbee devices to MQTT.", tcp(8080)),
  home("Z-Wave JS UI", "Manages Z-Wave devices and bridges them.", tcp(3000, 8091)),
  home("ESPHome", "Builds firmware for small devices and manages them.", tcp(6052)),
  home("Homebridge", "Makes other devices known to Apple Home.", tcp(8581)),
  home("Philips Hue Bridge", "Controls Hue lights over Zigbee.", tcp(80, 443)),
  home("Frigate", "Records cameras and recognizes objects in their pictures.", tcp(5000, 8554, 8555, 8971), udp(8555)),

  iot("Tasmota", "Runs switches and sensors locally with free firmware.", tcp(80)),
  iot("Shelly", "Switches and measures electrical loads over Wi-Fi.", tcp(80)),
  iot("WLED", "Drives addressable light strips.", tcp(80), udp(21324)),
  iot("Sonos", "Plays music in several rooms.", tcp(1400, 1443)),
  iot("ONVIF Camera", "Delivers video in a way that recorders of any vendor understand.", tcp(80, 554), udp(3702)),
  iot("Modbus TCP", "Reads and sets the registers of industrial devices.", tcp(502)),

  printer("CUPS", "Queues print jobs and shares printers.", tcp(631)),
  printer("IPP Printer", "Prints jobs sent over the Internet Printing Protocol.", tcp(631)),
  printer("HP JetDirect", "Prints whatever arrives on a raw connection.", tcp(9100)),
  printer("OctoPrint", "Controls a 3D printer in the browser.", tcp(5000)),

  workstation("RDP", "Shows the desktop of a remote Windows host.", tcp(3389), udp(3389)),
  workstation("VNC", "Shows and controls a remote screen.", tcp(5900)),
  workstation("TeamViewer", "Shares a screen for remote support.", tcp(5938), udp(5938)),
  workstation("RustDesk", "Relays remote desktops.", tcp(21115, 21116, 21117), udp(21116)),
  workstation("Apache Guacamole", "Brings remote desktops into the browser.", tcp(8080)),

  mobile("iPhone", "Synchronizes Apple's telephone with a computer over Wi-Fi.", tcp(62078)),
  mobile("Android Debug Bridge", "Gives developers access to an Android device.", tcp(5555)),
  mobile("KDE Connect", "Links a telephone with a desktop.", tcp(1716), udp(1716)),
  mobile("LocalSend", "Sends files to devices nearby.", tcp(53317), udp(53317)),
];
