/** Names that programs give to machines without one, or by their place in the network. */
const SYNTHETIC =
  /^(?:_gateway|_localdnsstub|_localdnsproxy|_outbound|localhost(?:\.[a-z\d.-]*)?|localhost[46](?:\.[a-z\d.-]*)?|ip6-localhost|ip6-loopback|broadcasthost|gateway\.docker\.internal|bad_address)\.?$/i;
/** Addresses as names. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4}(?::[\da-f]{0,4}){2,7})$/i;
/** What programs and people write where they know nothing, in the languages of exported tables. */
const NOTHING = [
  "n[/.][asd]\\.?|#n/a|n\\.v\\.t\\.?|k\\.\\s?a\\.?|s/o|nan|nil|null|none|undefined|unknown|unidentified|unresolved|unnamed|incomplete|empty|blank|tbd",
  "unknown (?:device|host|hostname|name|vendor|manufacturer|computer)|(?:name )?not (?:available|found|set|resolved|specified|known|defined|assigned)",
  "no (?:name|hostname|host name|data|value|info|information|description)",
  "unbekannt|unbekannte[rs]? (?:gerät|host|hersteller|name)|nicht (?:verfügbar|vorhanden|bekannt|gesetzt|ermittelt|gefunden)|keine? (?:angaben?|daten|name|hostname)|leer|ohne name",
  "inconnue?|non (?:disponible|définie?|renseignée?|trouvée?|disponibile|definito)|sans nom|aucune?|indéfinie?|vide",
  "desconocid[oa]|desconhecid[oa]|no disponible|no definido|não (?:disponível|definido)|sin (?:nombre|datos)|sem nome|ningun[oa]|nenhum|vacío|vazio|indefinido",
  "sconosciut[oa]|senza nome|nessuno|vuoto|onbekend|niet (?:beschikbaar|gevonden|ingesteld|bekend)|geen(?: naam)?|leeg",
].join("|");
/** What `arp-scan` writes of the vendor of a random MAC address. */
const RANDOM = /^\(?unknown: locally administered\)?$/i;
const PLACEHOLDER = new RegExp(`^(?:[-–—_.…*?]+|[<(\\[{]?(?:${NOTHING})[>)\\]}]?)$`, "i");

/** True for a text that says that nothing is known: `[n/a]`, `-`, `unknown`, `k.A.`. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || RANDOM.test(text);
}

/** True for a name by which no machine can be told from others: `_gateway`, `[n/a]`, `localhost`, an address. */
export function isSynthetic(name: string): boolean {
  return SYNTHETIC.test(name) || ADDRESS.test(name) || isPlaceholder(name.replace(/(?<=\w)\.$/, ""));
}
