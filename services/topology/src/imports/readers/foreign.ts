// Files that are not read, by how they begin, and what to import instead.

const FOREIGN: readonly (readonly [beginning: RegExp, advice: string])[] = [
  [
    /^# Nmap [\d.]+\S* scan initiated .*-o(?:G|A)\b|^(?:# Nmap .*\n)?(?:# Ports scanned:.*\n)?Host: \S+ \(.*\)\t/,
    "is the greppable output of nmap, which leaves out much: scan with -oX, and import the XML file",
  ],
  [
    /^# Nmap [\d.]+\S* scan initiated |^Starting Nmap [\d.]+/,
    "is the output of nmap for people: scan with -oX, and import the XML file",
  ],
  [/^Nmap scan report for /, "is the output of nmap for people: scan with -oX, and import the XML file"],
  [
    /^\S+\s+Link encap:|^\d+: lo: <LOOPBACK|^lo0?: flags=/,
    "lists the addresses of one machine: import `ip -j neigh` or `ss -H -tulnp` of it, or run `nts collect` there",
  ],
  [
    /^(?:CONTAINER ID\s+IMAGE|NAMES\s+IMAGE)/,
    "is a list of containers for people: import `docker inspect $(docker ps -q)` instead",
  ],
  [/^NAME\s+(?:STATUS|TYPE|READY)\s+/, "is a table of kubectl for people, which names no machines"],
  [/^\{\\rtf/, "is a formatted text: save it as plain text"],
  [/^<\?xml[^>]*>\s*<\?mso-application/, "is an Excel workbook in XML: save the sheet as CSV"],
];

/** What to do instead of importing a file that starts like this; null if nothing is known. */
export function adviceFor(beginning: string): string | null {
  return FOREIGN.find(([start]) => start.test(beginning))?.[1] ?? null;
}
