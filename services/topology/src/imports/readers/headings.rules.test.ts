import { describe, expect, it } from "@jest/globals";
import { columnsOf, reasonAgainstState, withoutPlaceholder } from "./headings.rules.js";

const columns = (headings: string): string =>
  columnsOf(headings.split(";"))
    .map((column) => column ?? "-")
    .join(" ");

describe("the columns of a table, by their headings", () => {
  it.each([
    ["German", "Name;IP-Adresse;MAC-Adresse;Bemerkung;Standort", "name address mac description -"],
    ["French", "Nom d\u2019hôte;Adresse IP;Adresse MAC;Commentaire", "hostname address mac description"],
    ["Spanish", "Nombre;Dirección IP;Dirección MAC;Descripción", "name address mac description"],
    ["Italian", "Nome;Indirizzo IP;Indirizzo MAC;Descrizione", "name address mac description"],
    ["Portuguese", "Nome;Endereço IP;Endereço MAC;Descrição", "name address mac description"],
    ["Dutch", "Naam;IP-adres;MAC-adres;Omschrijving", "name address mac description"],
    [
      "with words that connect",
      "Nome do dispositivo;Endereço de IP;Nom du périphérique;Dirección de la MAC",
      "name address name mac",
    ],
    ["Polish", "Nazwa urządzenia;Adres IP;Adres MAC;Producent", "name address mac vendor"],
    ["Russian", "Имя;IP-адрес;MAC-адрес;Производитель", "name address mac vendor"],
    ["Chinese", "主机名;IP地址;MAC地址;厂商", "hostname address mac vendor"],
    ["Japanese", "名前;IPアドレス;MACアドレス;メーカー", "name address mac vendor"],
    ["Korean", "이름;IP 주소;MAC 주소;제조사", "name address mac vendor"],
    ["phpIPAM", "IP address;Description;Hostname;MAC;Device;Port", "address description hostname mac switch plug"],
    ["NetBox", "address;status;vrf;device;interface;dns_name", "address state - host interface hostname"],
    ["UniFi", "Name;Vendor;IP Address;MAC Address;Connection;Network;Port", "name vendor address mac - network -"],
    [
      "NetBox, as its lists are shown",
      "IP Address;Status;Role;Assigned;DNS name;Interface;Parent",
      "address state role - hostname interface host",
    ],
    ["NetAlertX", "devMac;devName;devVendor;devLastIP;devComments", "mac name vendor address description"],
    ["where NetAlertX sees a device", "devMac;devLastIP;devParentMAC;devParentPort", "mac address switch plug"],
    ["a switch without its port", "Name;IP;Switch", "name address -"],
    ["Windows DHCP", "IPAddress;ScopeId;AddressState;ClientId;HostName", "address - state mac hostname"],
    ["Lansweeper", "AssetName;IPAddress;Mac;Domain", "name address mac -"],
    ["Angry IP Scanner", "IP;Ping;Hostname;Ports;MAC Address;MAC Vendor", "address state hostname port mac vendor"],
    ["Advanced IP Scanner", "Status;Name;IP;Manufacturer;MAC address", "state name address vendor mac"],
    ["leases of OPNsense", "if;address;hwaddr;hostname;lease-state", "- address mac hostname state"],
    ["Fing", "IP Address;State;Hostname;Hardware Address;Hardware Vendor", "address state hostname mac vendor"],
    ["German, of devices", "IP;Hersteller;Modell;Seriennummer;Betriebssystem", "address vendor model serial os"],
    ["French, of devices", "IP;Marque;Modèle;N° de série;Système d'exploitation", "address vendor model serial os"],
    ["Spanish, of devices", "IP;Marca;Modelo;Nº de serie;Sistema operativo", "address vendor model serial os"],
    [
      "Italian, of devices",
      "IP;Produttore;Modello;Numero di serie;Sistema operativo",
      "address vendor model serial os",
    ],
    ["Portuguese, of devices", "IP;Marca;Modelo;Número de série;Sistema operacional", "address vendor model serial os"],
    ["Dutch, of devices", "IP;Merk;Model;Serienummer;Besturingssysteem", "address vendor model serial os"],
    ["with remarks", "Name (intern);IP-Adresse (LAN);MAC [WLAN];Hostname/FQDN", "name address mac hostname"],
    ["a port and its switch in parentheses", "Name;IP;Port (Switch)", "name address -"],
    ["a port beside what it leads to", "Name;IP;Parent Device;Port", "name address - -"],
    ["French, of computers", "Nom de l'hôte;Adresse IP;Version", "hostname address -"],
    ["Spanish, of computers", "Nombre de equipo;Dirección IP", "hostname address"],
    ["with masks", "IP;Subnetzmaske;Name", "address mask name"],
    ["with versions of systems", "IP;OS;Version", "address os os_version"],
    ["with versions of services", "ip;port;protocol;service;version", "address port protocol service version"],
    ["services", "host;ip_address;port;protocol;name;service_definition", "host address port protocol name definition"],
    [
      "virtual machines and what they run on",
      "VM;Powerstate;DNS Name;Primary IP Address;Host",
      "name state hostname address -",
    ],
    ["those of Hyper-V", "VMName;ComputerName;MacAddress;IPAddresses", "name - mac address"],
    ["adapters of Hyper-V", "VMName;Name;MacAddress;IPAddresses;SwitchName", "host name mac address -"],
    ["clients of a router", "Clients Name;Client IP Address;Clients MAC Address", "name address mac"],
    [
      "Windows DHCP, in its console",
      "Client IP Address;Name;Lease Expiration;Type;Unique ID;Description",
      "address hostname state - mac description",
    ],
    [
      "that in German",
      "Client-IP-Adresse;Name;Leaseablaufdatum;Typ;Eindeutige ID;Beschreibung",
      "address hostname state - mac description",
    ],
    ["that in French", "Adresse IP du client;Nom;Expiration du bail;ID unique", "address hostname state mac"],
    ["unique ids of anything else", "Name;IP Address;Unique ID", "name address -"],
    [
      "devices of NetBox",
      "Name;Role;Manufacturer;Type;IP Address;Serial number",
      "name role vendor model address serial",
    ],
    ["a type of anything else", "Name;Type;IP Address", "name - address"],
    ["Active Directory", "DNSHostName;IPv4Address;Name;OperatingSystem", "hostname address name os"],
    ["i-doit", "Titel;Status;Adresse", "name state address"],
    ["streets beside addresses", "Name;Adresse;IP", "name - address"],
    ["OpenStack", "Name;Status;Networks;Image", "name state address -"],
    ["a public address alone", "NAME;STATUS;PUBLIC IP ADDRESS", "name state address"],
    [
      "a public address beside a private one",
      "Name;Instance state;Public IPv4 address;Private IPv4 address",
      "name state - address",
    ],
    ["German, of Advanced IP Scanner", "Status;Name;IP;Anmerkungen", "state name address description"],
    ["OCS Inventory", "Computer;Betriebssystem;IP-Adresse", "host os address"],
    ["ports beside a switch, of services", "host;ip;port;protocol;switch", "host address port protocol -"],
  ])("%s", (_what, headings, expected) => {
    expect(columns(headings)).toBe(expected);
  });
});

describe("a cell", () => {
  it.each([
    ...[
      "[n/a]",
      "[n/s]",
      "n/a",
      "-",
      "--",
      "(none)",
      "Unknown",
      "NULL",
      "#N/A",
      "<unknown>",
      "?",
      "\u2026",
      "k.A.",
      "s/o",
    ],
    ...["unbekannt", "Unbekanntes Gerät", "nicht verfügbar", "keine Angabe", "inconnu", "non disponible", "sin nombre"],
    ...["desconocido", "não disponível", "sconosciuto", "onbekend", "n.v.t.", "no name", "Unknown device", "not set"],
    "(Unknown: locally administered)",
  ])("of a program or person that knows nothing is empty: %s", (cell) => {
    expect(withoutPlaceholder(cell)).toBe("");
  });

  it.each(["nas", "n", "none of these", "na", "0", "unknown-7", "Vider", "nd"])(
    "of a person is what it is: %s",
    (cell) => {
      expect(withoutPlaceholder(cell)).toBe(cell);
    },
  );

  it.each([
    ["Ping", "[n/a]", true],
    ["Ping", "1 ms", false],
    ["Status", "dead", true],
    ["Status", "alive", false],
    ["Status", "active", false],
    ["IP State", "Offline", false],
    ["AddressState", "Expired", true],
    ["Zustand", "frei", true],
    ["Status", "Inaktiv", true],
    ["Statut", "Mort", true],
    ["Estado", "Muerto", true],
    ["Stato", "Inattivo", true],
    ["Status", "Dood", true],
    ["IP State", "DHCP", false],
    ["Status", "Offline", true],
    ["Status", "OFFLINE (3 days)", true],
    ["Device status", "Down since Monday", true],
    ["Status", "Disconnected", true],
    ["Status", "Nicht verbunden", true],
    ["Statut", "Hors ligne", true],
    ["Estado", "Desconectado", true],
    ["Stato", "Non in linea", true],
    ["Status", "Niet bereikbaar", true],
    ["Статус", "Не в сети", true],
    ["状态", "离线", true],
    ["状態", "オフライン", true],
    ["Durum", "Çevrimdışı", true],
    ["Powerstate", "poweredOff", true],
    ["Status", "Planned", true],
    ["Status", "Never Seen", true],
    ["Lease Type", "static", false],
    ["Statut", "Au rebut", true],
    ["Online", "no", true],
    ["Online", "FALSE", true],
    ["Online", "yes", false],
    ["Aktiv", "Nein", true],
    ["En ligne", "non", true],
    ["Status", "no", false],
    ["Status", "Connected", false],
    ["Status", "Deployed", false],
    ["Status", "Down the hall", false],
    ["Состояние", "Выключен", true],
    ["State", "Non-active", true],
    ["devIsArchived", "1", true],
    ["devIsArchived", "0", false],
    ["Lease Expiration", "Reservation (inactive)", true],
    ["Lease Expiration", "Reservation (active)", false],
    ["Expiration du bail", "Réservation (inactif)", true],
    ["Expiration du bail", "Réservation (actif)", false],
    ["Lease Expiration", "12/1/2026 10:00:00 AM", false],
  ])("of a state says whether there is a machine: %s %s", (heading, state, isAgainst) => {
    expect(reasonAgainstState(heading, state) !== null).toBe(isAgainst);
  });

  it("of a kept address speaks of no machine, if the row says nothing else of one", () => {
    for (const state of ["DHCP", "Reserved", "reservado"])
      expect([state, reasonAgainstState("IP State", state, false) !== null]).toEqual([state, true]);
    expect(reasonAgainstState("IP State", "Offline", false)).toBeNull();
  });
});
