import type { ColumnMeaning, SaidColumn } from "@nts/shared/contract/import-formats";
import { isPlaceholder } from "../../values/synthetic-names.rules.js";

// What a column of a table is, by its heading: in the languages and programs that people export tables from.

/** Headings of each column, as {@link headingKey} writes them. */
const HEADINGS = {
  address: [
    "ip_address ip_addresses ip ips address addresses ipv4 ipv4_address ipv4_addresses ipv6 ipv6_address ipv6_addresses",
    "ipaddress ip_addr ip_adr last_ip local_ip primary_ip primary_ipv4 primary_ipv6 primary_ip4 primary_ip6 devlastip",
    "lan_ip lan_ip_address internal_ip internal_ip_address local_ip_address management_ip management_ip_address mgmt_ip mgmt_ip_address ip_management",
    "last_reported_ip last_reported_ip_address last_ip_address ip_lan ip_interne ip_interna internes_ip interne_ip",
    "primary_ip_address primary_ipv4_address primary_ipv6_address ipaddresses networkip network_ip host_address hostadresse primare_ip_adresse",
    "ip_address_v4 ip_address_v6 ipv4address ipv6address ipv6_ips tailscaleips privateipaddress privateipaddresses",
    "private_ip private_ips private_ip_address private_ip_addresses private_ipv4_address private_ipv4_addresses",
    "ip_adresse ip_adressen ipadresse ipv4_adresse ipv6_adresse adresse_ip adresses_ip adresse_ipv4 adresse_ipv6",
    "direccion_ip direcciones_ip indirizzo_ip indirizzi_ip endereco_ip enderecos_ip ip_adres ip_adressen ipadres",
    "adres_ip adresy_ip ip_adresa adresa_ip ip_adress ip_osoite ip_adresi ip_cim ip_адрес ip_адреса ip地址 ipアドレス ip_주소",
  ],
  mac: [
    "mac_address mac_addresses mac macs macaddress mac_addr mac_adr hwaddr hw_address hardware_address ethernet ethernet_address",
    "physical_address clientid client_id devmac lladdr link_layer_address linklayeraddress",
    "mac_adresse mac_adressen macadresse hardwareadresse hardware_adresse physische_adresse physikalische_adresse",
    "adresse_mac adresses_mac adresse_physique direccion_mac direcciones_mac direccion_fisica",
    "indirizzo_mac indirizzi_mac indirizzo_fisico endereco_mac enderecos_mac endereco_fisico mac_adres fysiek_adres",
    "adres_mac adres_fizyczny mac_adresa adresa_mac mac_adress mac_osoite mac_adresi mac_cim mac_адрес mac_адреса",
    "wi_fi_mac wi_fi_mac_address wifi_mac wifi_mac_address wlan_mac wlan_mac_adresse ethernet_mac ethernet_mac_address lan_mac",
    "alternate_mac_address mac_address_1 mac_address_2 mac_1 mac_2",
    "mac地址 macアドレス mac_주소",
  ],
  hostname: [
    "hostname host_name fqdn dns_name dnsname dnshostname dns dns_hostname privatednsname devfqdn computer_name computername netbios_name",
    "rechnername computername hostnamen dns_namen nom_d_hote nom_de_l_hote nom_hote nom_dns nom_de_l_ordinateur",
    "nom_d_ordinateur nombre_de_host nombre_host nombre_del_host nombre_dns nombre_de_equipo nombre_del_equipo",
    "nome_host nome_dns nome_do_host nome_computer nome_del_computer nome_do_computador hostnaam dns_naam computernaam",
    "nazwa_hosta nazwa_komputera nazev_hostitele nazev_pocitace имя_хоста имя_компьютера 主机名 计算机名 ホスト名 호스트_이름",
  ],
  host: ["host machine server computer rechner maschine hote serveur servidor macchina maquina"],
  device: ["device virtual_machine gerat geraet appareil dispositivo apparaat vm vm_name vmname"],
  name: [
    "name sysname label title display_name alias device_name client client_name devname assetname asset_name",
    "bezeichnung geratename geraetename nom nom_de_l_appareil nombre nombre_del_dispositivo nome nome_dispositivo",
    "nom_peripherique nom_equipement nom_machine nombre_equipamiento nome_equipamento nome_maquina nome_macchina nome_apparecchio",
    "titel titre titulo titolo",
    "naziv naam apparaatnaam nazwa nazwa_urzadzenia nazev nazev_zarizeni nazov namn enhetsnamn navn enhedsnavn nimi nev nume",
    "имя название имя_устройства назва 名称 名字 设备名称 名前 機器名 이름",
  ],
  description: [
    "description descr comment comments note notes remark remarks devcomments",
    "beschreibung bemerkung bemerkungen anmerkung anmerkungen kommentar kommentare notiz notizen commentaire commentaires remarque remarques",
    "descripcion comentario comentarios notas nota descrizione commento descricao observacao observacoes",
    "omschrijving opmerking opmerkingen beschrijving",
  ],
  vendor: [
    "vendor manufacturer mac_vendor macvendor hardware_vendor hw_vendor hersteller fabricant constructeur fabricante fornecedor produttore fornitore",
    "producent vyrobce vyrobca tillverkare valmistaja uretici gyarto producator производитель виробник 厂商 制造商 メーカー 제조사",
    "fabrikant devvendor oui vendor_name manufacturer_name make brand marke marque marca merk",
  ],
  model: [
    "model modell modele modelo modello model_name model_number modelname device_model hardware_model",
    "модель 型号 型號 モデル 모델 typ_urzadzenia malli",
    "modellbezeichnung modele_d_appareil modelo_del_dispositivo modello_dispositivo modelo_do_dispositivo",
  ],
  serial: [
    "serial serial_number serial_no serial_nr serialnumber s_n sn seriennummer serien_nr seriennr",
    "серийный_номер серійний_номер номер_серии numer_seryjny nr_seryjny seriove_cislo vyrobni_cislo vyrobne_cislo serienummer sarjanumero",
    "seri_numarasi seri_no sorozatszam numar_de_serie numar_serie 序列号 序列號 产品序列号 シリアル番号 シリアルナンバー 製造番号 일련번호 시리얼_번호",
    "numero_de_serie numero_serie n_de_serie no_de_serie n_serie numero_di_serie numero_seriale seriale serienummer",
  ],
  duid: ["duid client_duid clientduid dhcp_unique_identifier dhcpv6_duid"],
  machine_id: ["machine_id machineid machine_uuid"],
  os: [
    "os os_name osname operating_system operatingsystem platform betriebssystem systeme_d_exploitation systeme_exploitation",
    "sistema_operativo sistema_operacional besturingssysteem plattform plateforme plataforma piattaforma",
  ],
  os_version: [
    "os_version osversion os_release operating_system_version operatingsystemversion version_os os_build betriebssystemversion",
  ],
  version: ["version service_version product_version versione versao versie"],
  mask: [
    "mask netmask net_mask subnet_mask subnetmask prefix_length prefixlen mask_length netzmaske subnetzmaske masque",
    "masque_de_sous_reseau mascara mascara_de_subred mascara_de_sub_rede maschera maschera_di_sottorete subnetmasker",
  ],
  role: ["role device_role rolle devtype"],
  port: [
    "port ports port_number number open_ports offene_ports ports_ouverts puerto puertos porta porte portas poort poorten",
  ],
  protocol: ["protocol proto port_protocol protokoll protocole protocolo protocollo"],
  service: [
    "service service_name application app dienst dienste servicio servizio servico aplicacion applicazione anwendung",
  ],
  definition: ["service_definition definition kind"],
  everywhere: ["all_interfaces all_addresses"],
  tags: ["tags"],
  network: ["network network_name"],
  id: ["id"],
  interface: ["interface interface_name ifname if_name nic schnittstelle netzwerkkarte interfaz interfaccia"],
  switch: [
    "switch switch_name switchname network_switch netzwerkswitch commutateur conmutador comutador connected_to",
    "uplink_device uplink_switch upstream_device switch_mac sw_mac sw_name devparentmac",
  ],
  plug: ["switch_port switchport switch_port_name sw_port devparentport"],
  state: [
    "status state ping ip_state addressstate address_state zustand statut etat estado stato",
    "connection_status connection_state instance_state instance_status device_status device_state host_status host_state network_status online_status",
    "verbindungsstatus geratestatus erreichbarkeit etat_de_la_connexion estado_de_conexion stato_connessione",
    "estado_da_conexao verbindingsstatus toestand stan stav tillstand tila durum allapot stare состояние статус стан 状态 状態 상태",
    "lease_state lease_status lease_type binding_state powerstate power_state betriebszustand port_state port_status archived is_archived devisarchived",
    "lease_expiration leaseablaufdatum ablauf_der_lease expiration_du_bail expiracion_de_concesion scadenza_lease",
    "expiration_de_la_concesion vencimiento_de_la_concesion scadenza_del_lease expiracao_da_concessao leaseverloop verloop_van_lease",
    "online is_online alive is_alive reachable is_reachable is_up active is_active present is_present connected is_connected",
    "erreichbar aktiv verbunden en_ligne actif joignable connecte en_linea activo alcanzable conectado in_linea attivo",
    "raggiungibile connesso ativo alcancavel bereikbaar actief verbonden 在线 オンライン 온라인",
  ],
} as const satisfies Record<string, readonly string[]>;

export type Column = keyof typeof HEADINGS;

/** Words that connect others, as in "Nome do dispositivo" and "Nombre de dispositivo". */
const CONNECTING = /_(?:d|da|de|del|della|dello|des|di|do|du|het|l|la|le|of|the|van)(?=_)/g;

/** A key without words that connect others, which people write or leave out. */
function essenceOf(key: string): string {
  return key.replaceAll(CONNECTING, "");
}

const COLUMN_OF: ReadonlyMap<string, Column> = new Map(
  Object.entries(HEADINGS).flatMap(([column, lines]) =>
    lines
      .flatMap((line: string) => line.split(" "))
      .map((written) => [essenceOf(headingKey(written)), column as Column]),
  ),
);

/** Columns as the API names them; null for those that mean something only beside others. */
const MEANING_OF: Readonly<Record<Column, Exclude<ColumnMeaning, "ignore"> | null>> = {
  address: "ip_address",
  mac: "mac_address",
  hostname: "hostname",
  host: "host",
  device: null,
  name: "name",
  description: "description",
  vendor: "vendor",
  model: "model",
  serial: "serial",
  duid: "duid",
  machine_id: "machine_id",
  os: "os",
  os_version: "os_version",
  version: "version",
  mask: "netmask",
  role: "role",
  port: "port",
  protocol: "protocol",
  service: "service",
  definition: "service_definition",
  everywhere: "all_interfaces",
  tags: "tags",
  network: "network",
  id: "id",
  interface: null,
  switch: "switch",
  plug: "switch_port",
  state: "status",
};

const COLUMN_MEANT: ReadonlyMap<string | null, Column> = new Map(
  Object.entries(MEANING_OF).map(([column, meaning]) => [meaning, column as Column]),
);

/** What people say that columns mean, by {@link headingKey}. */
export type Said = ReadonlyMap<string, string>;

/** Characters of a heading. */
export const LONGEST_HEADING = 61;

export function saidOf(columns: readonly SaidColumn[] = []): Said {
  return new Map(columns.map(({ heading, meaning }) => [headingKey(heading.slice(0, LONGEST_HEADING)), meaning]));
}

/** The meaning of a column, as the API names it. */
export function meaningOf(column: Column): string | null {
  return MEANING_OF[column];
}

/** Beside one of these, a column "Port" is where the machine is plugged in. */
const OF_SWITCHES =
  /^(?:(?:network_)?switch(?:_(?:name|port|ip|mac))?|switch(?:name|port)|netzwerkswitch|commutateur|conmutador|comutador|interruttore|uplink(?:_(?:device|name|switch))?|upstream|parent(?:_(?:device|node|name|mac))?|connection|connected_to|access_point|ap|ap_name|patch_?panel|patchfeld|netzwerkdose|dose|verbindung|connexion|conexion|connessione|verbinding)$/;

/** Beside one of these, "Name" is that of an interface. */
const OF_CARDS = /^(?:virtual_machine|vm|vm_?name|enabled|mtu|mgmt_only|lag|bridge|parent_interface)$/;
const OF_CLIENT = /^client_?id$/;
/** The same in lists of leases, which these name. */
const OF_LEASED = /^(?:unique_id|eindeutige_id|id_unique|id_univoco|id_exclusivo|identificador_unico)$/;
const OF_LEASES =
  /^(?:lease_?expir\w*|leaseablaufdatum|ablauf_der_lease|expiration_du_bail|(?:expira|vencimi)\w*_de_(?:la_)?concesion|scadenza_(?:del_)?lease|expiracao_da_concessao|leaseverloop|verloop_van_lease)$/;
/** What a device is, which is its model beside its role and its manufacturer. */
const OF_TYPES = /^(?:(?:device_)?type|typ|geratetyp)$/;
/** Where machines without another address have theirs; otherwise, it is another one of theirs, or a street. */
const OTHER_ADDRESSES =
  /^(?:adresse|direccion|indirizzo|endereco|adres|adresa|networks|external_ip|public_ip(?:v4)?(?:_address(?:es)?)?|publicipaddress(?:es)?)$/;
/** The names of virtual machines, beside those of the machines that they run on. */
const OF_GUESTS = /^(?:vm|vm_?name|virtual_machine)$/;
const OF_RUNNERS = /^(?:host|server|machine|computer_?name)$/;

/** A heading without case, accents and punctuation: "IP-Adresse (LAN)" is `ip_adresse_lan`. */
export function headingKey(heading: string): string {
  return heading
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "");
}

/** What a part of a heading may be, as in "Network - IP address": a name is that of the part before it. */
const OF_PARTS: ReadonlySet<Column | undefined> = new Set(["address", "mac", "hostname", "serial", "model"]);

/** What a heading is: whole, without what it has in parentheses, up to a slash as in "Hostname/FQDN", or after a dash. */
function columnOf(heading: string): Column | null {
  const bare = heading.replaceAll(/\([^()]*\)|\[[^[\]]*\]/g, " ");
  const remark = headingKey(heading.slice(heading.search(/[([]/) + 1));
  if (bare !== heading && OF_SWITCHES.test(remark)) return null;
  const [first = ""] = bare.split("/", 1);
  const known = [heading, bare, first].map(knownColumn).find((one) => one !== undefined);
  if (known !== undefined) return known;
  const [whole = "", part] = bare.split(/ [-–:>] /, 2);
  const ofPart = part === undefined ? undefined : knownColumn(part);
  if (OF_PARTS.has(ofPart)) return ofPart ?? null;
  const named = ofPart === "name" ? knownColumn(whole) : undefined;
  return named === "os" || named === "vendor" || named === "model" ? named : null;
}

function knownColumn(text: string): Column | undefined {
  const key = essenceOf(headingKey(text));
  return COLUMN_OF.get(key) ?? COLUMN_OF.get(withoutOwner(key));
}

/** DHCP servers and routers have clients: "Client IP Address", "Adresse IP du client". */
function withoutOwner(key: string): string {
  return key.replace(/^clients?_|_(?:cliente?|client)$/, "");
}

/** What the columns with these headings are; null for those that are not used. */
export function columnsOf(headings: readonly string[], meanings: Said = new Map()): (Column | null)[] {
  const keys = headings.map(headingKey);
  const known = headings.map((heading, index) => {
    const meaning = meanings.get(keys[index] ?? "");
    return meaning === undefined ? columnOf(heading) : (COLUMN_MEANT.get(meaning) ?? null);
  });
  const has = (column: Column): boolean => known.includes(column);
  const isOfModels = has("role") && has("vendor") && !has("model");
  const isOfLeases = has("address") && keys.some((key) => OF_LEASES.test(key));
  const isElsewhere = !has("address") && keys.length > 1;
  // NetBox names the interface of an address, and its machine as parent.
  const isOfNetBox = has("interface") && keys.includes("assigned");
  // In lists of leases, the name is what the client calls itself.
  const named = isOfLeases && !has("hostname") ? known.indexOf("name") : -1;
  if (named !== -1 && !meanings.has(keys[named] ?? "")) known[named] = "hostname";
  for (const [index, key] of keys.entries()) {
    if (known[index] !== null || meanings.has(key)) continue;
    if (isOfModels && OF_TYPES.test(key)) known[index] = "model";
    else if (isOfLeases && OF_LEASED.test(key)) known[index] = "mac";
    else if (isOfNetBox && key === "parent") known[index] = "device";
    else if (isElsewhere && OTHER_ADDRESSES.test(key)) known[index] = "address";
  }
  const isOfServices = has("protocol") || has("service") || has("definition");
  // Tables of address managers name the switch as device, and its port, beside the machine's own name.
  const isSwitch = has("device") && has("hostname") && !has("interface");
  const isSwitchNamed = isSwitch || has("switch");
  const isPlug = has("port") && !isOfServices && (isSwitch || keys.some((key) => OF_SWITCHES.test(key)));
  // Tables of interfaces name the machine as device or virtual machine, and the interface as such.
  const isOfCards = has("name") && !has("hostname") && !has("host") && keys.some((key) => OF_CARDS.test(key));
  const isRunner = (index: number): boolean =>
    (known[index] === "host" || known[index] === "hostname") && OF_RUNNERS.test(keys[index] ?? "");
  const isOfGuests =
    keys.some((key) => OF_GUESTS.test(key)) && keys.some((_key, index) => isRunner(index)) && !has("interface");
  const hasCard = known.some((column, index) => column === "mac" && !OF_CLIENT.test(keys[index] ?? ""));
  return known.map((column, index): Column | null => {
    if (meanings.has(keys[index] ?? "")) return column;
    // Where a machine is plugged in takes both: which switch, and which port.
    if (column === "plug" || (column === "port" && isPlug)) return isSwitchNamed ? "plug" : null;
    if (column === "switch") return isPlug || has("plug") ? "switch" : null;
    if (column === "device" && isSwitch && (isPlug || has("plug"))) return "switch";
    if (isOfGuests && isRunner(index)) return null;
    if (isOfGuests && OF_GUESTS.test(keys[index] ?? "")) return has("name") ? null : "name";
    // The identity of a client contains its MAC address, which other columns have as it is.
    if (column === "mac" && hasCard && OF_CLIENT.test(keys[index] ?? "")) return null;
    // A version is that of the service, else of the operating system, else of something unknown.
    if (column === "version" && !isOfServices) return has("os") && !has("os_version") ? "os_version" : null;
    if (column !== "device") return column;
    if (isOfCards) return "host";
    if (has("interface") || !(has("host") || has("hostname") || has("name"))) return "host";
    return null;
  });
}

/** A cell's text; empty if it is a placeholder. */
export function withoutPlaceholder(cell: string): string {
  return isPlaceholder(cell) ? "" : cell;
}

/** States of a row whose address no machine has, in lower case. */
const NO_MACHINE = new RegExp(
  [
    "^(?:dead|down|offline|off-line|off|away|absent|disconnected|not connected|lost|gone|timed? ?out|timeout|host down",
    "never (?:seen|connected|online)|nie gesehen|jamais vue?|nunca visto|mai visto|no (?:reply|response|answer)|not (?:responding|reachable|present|seen|alive|available|active|online)|unreachable|unresponsive",
    "stopped|stopping|terminated|shut ?off|shut ?down|powered ?off|suspended|deallocated|not running|planned|geplant|planifiée?|planificad[oa]|pianificat[oa]|gepland",
    "free|available|unused|vacant|unassigned|expired|declined|released|abandoned|inactivereservation|deprecated|decommissioned",
    "decommissioning|retired|inactive|non-active|stock|spare",
    "archived|disposed|scrapped|sold|stolen|lost\\/stolen|undeployable|in stock|in storage|written off|archiviert|ausgemustert|ausgesondert|verschrottet|entsorgt|verkauft|gestohlen",
    "archivée?s?|réformée?s?|(?:mise? )?au rebut|hors (?:service|d.usage)|cédée?|vendue?|volée?|archivad[oa]|de baja|vendido|robado|dismess[oa]|rottamat[oa]|afgevoerd|verkocht|списан[оа]?|wycofan[yae]|已报废|报废|廃棄済み?",
    "tot|inaktiv|frei|nicht (?:erreichbar|verbunden|aktiv|da|online)|keine antwort|abgelaufen|getrennt|abwesend|unerreichbar|ausgeschaltet|stillgelegt",
    "morte?|inactive?|inactif|libre|injoignable|inaccessible|pas de réponse|expirée?|hors ligne|déconnectée?|non connectée?|éteinte?|absente?",
    "muerto|inactivo|sin respuesta|caducad[oa]|desconectad[oa]|fuera de línea|sin conexión|no conectado|inalcanzable|apagado|ausente",
    "morto|inattivo|libero|nessuna risposta|scaduto|non in linea|fuori linea|disconnesso|scollegato|irraggiungibile|spento|assente",
    "inativo|livre|sem resposta|expirado|desligado|fora de linha|sem conexão|não conectado|inacessível",
    "dood|inactief|vrij|geen antwoord|verlopen|niet (?:verbonden|bereikbaar|actief)|onbereikbaar|losgekoppeld|afwezig|uitgeschakeld",
    "nieaktywn[yae]|niedostępn[yae]|rozłączon[yae]|woln[yae]|brak odpowiedzi|neaktivní|nedostupn[ýáé]|odpojen[ýáoo]|neodpovídá",
    "frånkopplad|inte ansluten|ej ansluten|nere|frakoblet|ikke tilkoblet|afbrudt|ei yhteyttä|ei vastaa|poissa",
    "çevrimdışı|bağlı değil|kapalı|ulaşılamıyor|nem elérhető|kapcsolat nélkül|deconectat",
    "оффлайн|офлайн|не в сети|не в мережі|недоступ[а-яіє]*|неактив[а-яіє]*|отключ[её]н[ао]?|нет ответа|свободен|вільн[аои]?|мертв|вимкнено",
    "выключен[ао]?|вимкнен[ао]?|не подключ[её]н[ао]?",
    "离线|離線|不在线|断开|未连接|下线|オフライン|未接続|切断|応答なし|오프라인|연결 ?안 ?됨|응답 없음)$",
  ].join("|"),
  "u",
);

/** Headings of what is so or not, as in "Online: no". */
const IS_THERE =
  /^(?:is_)?(?:online|alive|reachable|up|active|present|connected|erreichbar|aktiv|verbunden|en_ligne|actif|joignable|connecte|en_linea|activo|alcanzable|conectado|in_linea|attivo|raggiungibile|connesso|ativo|alcancavel|bereikbaar|actief|verbonden|在线|オンライン|온라인)$/;
/** Headings of what is so or not, and against a machine. */
const IS_GONE = /^(?:dev)?(?:is_?)?archived$/;
const NO =
  /^(?:0|n|no|false|f|off|nein|falsch|non|faux|não|nao|falso|nee|onwaar|нет|ложь|ні|nie|ne|ei|nej|hayır|否|いいえ|아니요|✗|✘|×)$/u;

/** States of an address in the tables of address managers, whose machine is known, and is only not there at present. */
const KNOWN_ADDRESS = /^(?:ip_state|addressstate|address_state)$/;

/** What Windows says of a kept address that no machine has at present, where others have the end of their lease. */
const KEPT_UNUSED = /^(?:reserv\w*|réservation|prenotazione) \((?:inacti[fv]\w*|inaktiv|inattiv[oa]|inativ[oa])\)$/i;

/** States of a port that nothing listens on, or that nobody has reached. */
const NOT_OPEN =
  /^(?:closed|filtered|unfiltered|open\|filtered|closed\|filtered|geschlossen|gefiltert|ferm[ée]|filtr[ée]|cerrado|filtrado|chiuso|filtrato|fechado|gesloten|gefilterd)$/i;

/** Why a port is not open; null if it may be. @param state as written */
export function reasonAgainstPort(state: string): string | null {
  return NOT_OPEN.test(state.trim()) ? `the row says that it is ${state.trim()}` : null;
}

/** States of an address that is kept for a machine, or for a pool. */
const KEPT_FREE = /^(?:dhcp|reserved|reserviert|réservée?|reservad[oa]|riservato|gereserveerd)$/i;

/**
 * Why a row is of no machine; null if it may be of one.
 *
 * @param heading of the state
 * @param state as written
 * @param isNamed false if the row says nothing of a machine
 */
export function reasonAgainstState(heading: string, state: string, isNamed = true): string | null {
  const key = headingKey(heading);
  const bare = bareState(state);
  const isUnanswered = key === "ping" && /^(?:\[?n\/[as]\]?|-|no|timeout)$/i.test(state);
  const isNot = (IS_THERE.test(key) && NO.test(bare)) || (IS_GONE.test(key) && /^(?:1|y|yes|true)$/.test(bare));
  const isOnlyAway = bare === "offline" && KNOWN_ADDRESS.test(key);
  const isAgainst =
    isUnanswered ||
    isNot ||
    KEPT_UNUSED.test(state) ||
    (NO_MACHINE.test(bare) && !isOnlyAway) ||
    (!isNamed && KEPT_FREE.test(state));
  if (!isAgainst) return null;
  const said = isNot ? `${heading}: ${state}` : state === "" ? "not there" : state;
  return `the row says that it is ${said.slice(0, LONGEST_HEADING)}; to take such rows, ignore the column`;
}

/** A state without what is added to it, as in "Offline (3 days)" and "Down since Monday". */
function bareState(state: string): string {
  return state
    .slice(0, LONGEST_HEADING)
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("\u0307", "")
    .replace(/\s*[([:,;–].*$/u, "")
    .replace(/\s+(?:since|for|seit|depuis|desde|da|dal|sinds|с)\s.*$/u, "")
    .trim();
}
