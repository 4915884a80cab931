// What a column of a table is, by its heading: in the languages and programs that people export tables from.

/** Headings of each column, as {@link headingKey} writes them. */
const HEADINGS = {
  address: [
    "ip_address ip_addresses ip ips address addresses ipv4 ipv4_address ipv4_addresses ipv6 ipv6_address ipv6_addresses",
    "ipaddress ip_addr last_ip local_ip primary_ip primary_ipv4 primary_ipv6 devlastip",
    "ip_adresse ip_adressen ipadresse ipv4_adresse ipv6_adresse adresse_ip adresses_ip adresse_ipv4 adresse_ipv6",
    "direccion_ip direcciones_ip indirizzo_ip indirizzi_ip endereco_ip enderecos_ip ip_adres ip_adressen ipadres",
  ],
  mac: [
    "mac_address mac_addresses mac macs macaddress mac_addr hwaddr hw_address hardware_address ethernet ethernet_address",
    "physical_address clientid client_id devmac lladdr",
    "mac_adresse mac_adressen macadresse hardwareadresse hardware_adresse physische_adresse physikalische_adresse",
    "adresse_mac adresses_mac adresse_physique direccion_mac direcciones_mac direccion_fisica",
    "indirizzo_mac indirizzi_mac indirizzo_fisico endereco_mac enderecos_mac endereco_fisico mac_adres fysiek_adres",
  ],
  hostname: [
    "hostname host_name fqdn dns_name dns dns_hostname devfqdn computer_name computername netbios_name",
    "rechnername computername hostnamen dns_namen nom_d_hote nom_hote nom_dns nombre_de_host nombre_host nombre_dns",
    "nome_host nome_dns nome_do_host hostnaam dns_naam",
  ],
  host: ["host machine server rechner maschine hote serveur servidor macchina maquina"],
  device: ["device virtual_machine gerat geraet appareil dispositivo apparaat vm"],
  name: [
    "name label title display_name alias device_name client client_name devname assetname asset_name",
    "bezeichnung geratename geraetename nom nom_de_l_appareil nombre nombre_del_dispositivo nome nome_dispositivo",
    "naam apparaatnaam",
  ],
  description: [
    "description comment comments note notes remark remarks devcomments",
    "beschreibung bemerkung bemerkungen kommentar notiz notizen commentaire commentaires remarque remarques",
    "descripcion comentario comentarios notas nota descrizione commento descricao observacao observacoes",
    "omschrijving opmerking opmerkingen beschrijving",
  ],
  vendor: [
    "vendor manufacturer mac_vendor hersteller fabricant constructeur fabricante fornecedor produttore fornitore",
    "fabrikant devvendor vendor_name manufacturer_name make brand marke marque marca merk",
  ],
  model: [
    "model modell modele modelo modello model_name model_number modelname device_model hardware_model",
    "modellbezeichnung modele_d_appareil modelo_del_dispositivo modello_dispositivo modelo_do_dispositivo",
  ],
  serial: [
    "serial serial_number serial_no serial_nr serialnumber s_n sn seriennummer serien_nr seriennr",
    "numero_de_serie numero_serie n_de_serie no_de_serie n_serie numero_di_serie numero_seriale seriale serienummer",
  ],
  os: [
    "os os_name operating_system operatingsystem platform betriebssystem systeme_d_exploitation systeme_exploitation",
    "sistema_operativo sistema_operacional besturingssysteem plattform plateforme plataforma piattaforma",
  ],
  role: ["role device_role rolle"],
  port: [
    "port ports port_number number open_ports offene_ports ports_ouverts puerto puertos porta porte portas poort poorten",
  ],
  protocol: ["protocol proto protokoll protocole protocolo protocollo"],
  service: [
    "service service_name application app dienst dienste servicio servizio servico aplicacion applicazione anwendung",
  ],
  definition: ["service_definition definition kind"],
  everywhere: ["all_interfaces all_addresses"],
  interface: ["interface interface_name ifname if_name nic schnittstelle netzwerkkarte interfaz interfaccia"],
  state: ["status state ping ip_state addressstate address_state zustand statut etat estado stato"],
} as const satisfies Record<string, readonly string[]>;

export type Column = keyof typeof HEADINGS;

const COLUMN_OF: ReadonlyMap<string, Column> = new Map(
  Object.entries(HEADINGS).flatMap(([column, lines]) =>
    lines.flatMap((line: string) => line.split(" ")).map((key) => [key, column as Column]),
  ),
);

/** Beside one of these, a column "Port" is where the machine is plugged in. */
const OF_SWITCHES =
  /^(?:switch|switch_name|switch_port|switchport|uplink|uplink_device|connection|connected_to|access_point|ap|ap_name|patch_panel|netzwerkdose|verbindung|connexion|conexion|connessione)$/;

/** A heading without case, accents and punctuation: "IP-Adresse (LAN)" is `ip_adresse_lan`. */
export function headingKey(heading: string): string {
  return heading
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "");
}

/** What the columns with these headings are; null for those that are not used. */
export function columnsOf(headings: readonly string[]): (Column | null)[] {
  const keys = headings.map(headingKey);
  const known = keys.map((key) => COLUMN_OF.get(key) ?? null);
  const has = (column: Column): boolean => known.includes(column);
  const isOfServices = has("protocol") || has("service") || has("definition");
  // Tables of address managers name the switch as device, and its port, beside the machine's own name.
  const isSwitch = has("device") && has("hostname") && !has("interface");
  const isPlug = has("port") && !isOfServices && (isSwitch || keys.some((key) => OF_SWITCHES.test(key)));
  return known.map((column) => {
    if (column === "port" && isPlug) return null;
    if (column !== "device") return column;
    if (has("interface") || !(has("host") || has("hostname") || has("name"))) return "host";
    return null;
  });
}

/** Cells by which programs say that they know nothing. */
const PLACEHOLDERS =
  /^(?:\[?n[/.][as]\.?\]?|-+|–|—|\(?(?:null|none|unknown|undefined|empty|leer|unbekannt|inconnu|desconocido|sconosciuto)\)?|\(incomplete\)|\*)$/i;

/** A cell's text; empty if it is a placeholder. */
export function withoutPlaceholder(cell: string): string {
  return PLACEHOLDERS.test(cell) ? "" : cell;
}

/** States of a row whose address no machine has. */
const NO_MACHINE =
  /^(?:dead|down|no reply|not responding|unreachable|free|available|unused|expired|declined|tot|frei|libre|libero|livre|vrij|inactivereservation|deprecated|decommissioned)$/i;

/** Why a row is of no machine; null if it may be of one. @param heading of the state @param state as written */
export function reasonAgainstState(heading: string, state: string): string | null {
  const isUnanswered = headingKey(heading) === "ping" && /^(?:\[?n\/[as]\]?|-|no|timeout)$/i.test(state);
  return isUnanswered || NO_MACHINE.test(state)
    ? `the row says that it is ${state === "" ? "not there" : state}`
    : null;
}
