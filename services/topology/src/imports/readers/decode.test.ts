import { describe, expect, it } from "@jest/globals";
import { AppError } from "@nts/shared/errors";
import { decoded } from "./decode.js";
import { readFile } from "./readers.js";

const TEXT = "Name;IP-Adresse;Standort\r\nDrucker Büro;10.0.0.1;Straße, Erdgeschoß\r\nKüche;10.0.0.2;Flur\r\n";

const textOf = (file: Uint8Array): string => Buffer.concat(decoded([file]).blocks).toString();

/** Swaps the bytes of each pair. */
const bigEndian = (text: string): Buffer => Buffer.from(text, "utf16le").swap16();

function refusalOf(file: Uint8Array): string {
  try {
    readFile([file], { format: "auto", nowMs: 0 });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const [fault] = error.params["errors"] as { path: string; message: string }[];
    return `${fault?.path ?? ""}: ${fault?.message ?? ""}`;
  }
  throw new Error("it was read");
}

describe("a file is read as text, however its program wrote it", () => {
  it.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-8 with a mark", Buffer.from(`\ufeff${TEXT}`)],
    ["UTF-16 of PowerShell", Buffer.from(`\ufeff${TEXT}`, "utf16le")],
    ["UTF-16 without a mark", Buffer.from(TEXT, "utf16le")],
    ["UTF-16 with the other order of bytes", bigEndian(`\ufeff${TEXT}`)],
    ["UTF-16 with the other order, without a mark", bigEndian(TEXT)],
    ["the 8-bit encoding of a spreadsheet", Buffer.from(TEXT, "latin1")],
  ])("%s", (_what, file) => {
    expect(textOf(file)).toBe(TEXT);
  });

  it("with the line ends of old Macintosh systems", () => {
    const file = Buffer.from(TEXT.replaceAll("\r\n", "\r"));
    for (const cut of [file.length, 20])
      expect(
        Buffer.concat(
          decoded([file.subarray(0, cut), file.subarray(cut)].map((one) => new Uint8Array(one))).blocks,
        ).toString(),
      ).toBe(TEXT.replaceAll("\r\n", "\n"));
  });

  it("in the code page of Windows' console", () => {
    const bytes = Buffer.from(TEXT, "latin1");
    const inConsole = new Map([
      ["ü", 0x81],
      ["ß", 0xe1],
    ]);
    for (const [at, letter] of TEXT.split("").entries()) bytes[at] = inConsole.get(letter) ?? bytes[at] ?? 0;
    expect(textOf(bytes)).toBe(TEXT);
    expect(textOf(Buffer.from("Direcci\xa2n de la impresora\n", "latin1"))).toBe("Dirección de la impresora\n");
    const quotes = Buffer.from("name,ip\nAnna\x92s \x93PC\x94 \x96 office,10.0.0.1\n", "latin1");
    expect(textOf(quotes)).toBe("name,ip\nAnna’s “PC” – office,10.0.0.1\n");
  });

  it("in the encodings of Central Europe, which have some letters in different places", () => {
    const inWindows = [0x64, 0x72, 0x75, 0x6b, 0x61, 0x72, 0x6b, 0x61, 0x20, 0x77, 0xb9, 0x73, 0x6b, 0x61, 0x20, 0xb3];
    const words = Buffer.from([...inWindows, 0xb9, 0x63, 0x7a, 0x65, 0x20, 0x67, 0xb3, 0xf3, 0x77, 0x6e, 0x65, 0x0a]);
    expect(textOf(words)).toBe("drukarka wąska łącze główne\n");
    expect(textOf(words.map((byte) => (byte === 0xb9 ? 0xb1 : byte)))).toBe("drukarka wąska łącze główne\n");
  });

  it("in the encoding that an XML document declares", () => {
    const xml = "<?xml version='1.0' encoding='ISO-8859-5'?><a b='Пример'/>";
    const bytes = Buffer.from(xml, "utf16le").filter((_, at) => at % 2 === 0);
    // Cyrillic letters are U+0410 to U+044F there, and 0xB0 to 0xEF in ISO-8859-5.
    for (const [at, letter] of xml.split("").entries())
      if (letter >= "\u0400") bytes[at] = letter.charCodeAt(0) - 0x360;
    expect(textOf(bytes)).toBe(xml);
  });

  it("with characters that are cut by the blocks of an upload", () => {
    const file = Buffer.from(TEXT);
    for (let cut = 1; cut < file.length; cut++)
      expect(Buffer.concat(decoded([file.subarray(0, cut), file.subarray(cut)]).blocks).toString()).toBe(TEXT);
  });
});

describe("an encoding of which few letters tell little", () => {
  const HEADINGS = Buffer.from("name,ip\n");
  const ADDRESS = Buffer.from(",10.0.0.1\n");
  const read = (letters: readonly number[]): { text: string; guess: string | null } => {
    const { blocks, guess } = decoded([Buffer.concat([HEADINGS, Buffer.from(letters), ADDRESS])]);
    return { text: Buffer.concat(blocks).toString().split("\n")[1]?.split(",")[0] ?? "", guess };
  };

  it("is told by how words are written, where that is possible, and called a guess", () => {
    expect(read([0xca, 0xf3, 0xf5, 0xed, 0xff])).toEqual({ text: "Кухня", guess: "windows-1251" });
    expect(read([0xeb, 0xd5, 0xc8, 0xce, 0xd1])).toEqual({ text: "Кухня", guess: "koi8-r" });
    expect(read([0x8a, 0xe3, 0xe5, 0xad, 0xef])).toEqual({ text: "Кухня", guess: "ibm866" });
    expect(read([0x63, 0x61, 0x66, 0x66, 0x8a])).toEqual({ text: "caffè", guess: "cp850" });
    expect(read([0x41, 0x4c, 0x45, 0x8a])).toMatchObject({ text: "ALEŠ" });
    expect(read([0xb4, 0xf2, 0xd3, 0xa1, 0xbb, 0xfa]).guess).not.toBeNull();
    expect(read([0x4b, 0xfc, 0x63, 0x68, 0x65])).toEqual({ text: "Küche", guess: null });
  });

  it("is named in the plan", () => {
    const file = Buffer.concat([HEADINGS, Buffer.from([0xca, 0xf3, 0xf5, 0xed, 0xff]), ADDRESS]);
    const { scan } = readFile([file], { format: "auto", nowMs: 0 });
    expect(scan.skipped.listed.map(({ what, reason }) => `${what}: ${reason}`)).toEqual([
      "the encoding: it is not certain, and was taken for windows-1251: if names are wrong, save the file as UTF-8",
    ]);
  });
});

describe("a file without a machine says so", () => {
  it.each(["name,ip\n", "[]", "Address HWtype HWaddress Flags Mask Iface\n", "Netid State Recv-Q Send-Q Local Peer\n"])(
    "%j",
    (file) => {
      const format = file === "[]" ? "docker" : "auto";
      const { scan } = readFile([Buffer.from(file)], { format, nowMs: 0 });
      expect(scan.skipped.listed).toEqual([
        { line: 1, what: "the file", reason: "there is no entry of a machine in it" },
      ]);
    },
  );
});

describe("a file that is no text is refused, with what to do instead", () => {
  it.each([
    ["a workbook", Buffer.from("PK\u0003\u0004\u0014\u0000", "latin1"), /xlsx workbook: save the sheet as CSV/],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x41, 0, 0, 0]), /in UTF-32, which is not read: save it as UTF-8/],
    ["a tar archive", Buffer.concat([Buffer.alloc(257, "a"), Buffer.from("ustar")]), /tar archive: extract the files/],
    ["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47]), /is an image: export the data as CSV/],
    ["a database", Buffer.from("SQLite format 3\0"), /database: export its table of devices as CSV/],
    [
      "an unknown encoding",
      Buffer.from("<?xml version='1.0' encoding='x-mine'?><nmaprun a='\xe4'/>", "latin1"),
      /in the encoding x-mine/,
    ],
    [
      "damaged UTF-8",
      Buffer.concat([Buffer.from(`${TEXT}${"Größe;10.0.0.3;ä\r\n".repeat(50)}`), Buffer.from([0xff])]),
      /^line 54, column 1: must be in UTF-8 from here on: save the file as UTF-8/,
    ],
    [
      "the greppable output of nmap",
      Buffer.from("# Nmap 7.95 scan initiated Sat Jan  3 10:00:00 2026 as: nmap -oG x 10.0.0.0/24\n"),
      /scan with -oX/,
    ],
    [
      "the greppable output of masscan",
      Buffer.from("# Masscan 1.3.2 scan initiated Sat Jan  3\n# Ports scanned: TCP(1;80-80,)\n"),
      /scan with -oJ or -oX/,
    ],
    ["answers of fping", Buffer.from("10.0.0.1 is alive\n10.0.0.2 is unreachable\n"), /scan with nmap -oX/],
    ["keys of SSH servers", Buffer.from("10.0.0.1 ssh-ed25519 AAAAC3Nz\n"), /import \/etc\/hosts/],
    ["a table of routes", Buffer.from("default via 10.0.0.1 dev eth0\n"), /import `ip -j neigh`/],
    ["the addresses of a machine", Buffer.from('[{"ifindex":1,"ifname":"lo"}]'), /run `nts collect` there/],
    ["a table of kubectl", Buffer.from("NAME   STATUS   ROLES\nk1     Ready    <none>\n"), /`kubectl get nodes/],
    ["a manifest of Kubernetes", Buffer.from("apiVersion: apps/v1\nkind: Deployment\n"), /`kubectl get nodes/],
    ["services by mDNS", Buffer.from("+;eth0;IPv4;NAS;_http._tcp;local\n"), /run `nts agent`/],
    ["the status of Tailscale", Buffer.from("100.64.0.1  nas  eva@  linux  -\n"), /`tailscale status --json`/],
    ["a state of WireGuard", Buffer.from("interface: wg0\n  public key: AAAA=\n"), /as CSV/],
    ["guests of libvirt", Buffer.from(" Id   Name   State\n---\n 1    web    running\n"), /`virsh net-dhcp-leases`/],
    ["MAC addresses of a switch", Buffer.from("sw1#show mac address-table\n   Mac Address Table\n"), /`show ip arp`/],
    ["targets of Prometheus", Buffer.from('[{"targets":["10.0.0.1:9100"]}]'), /targets of Prometheus/],
    ["connections of PowerShell", Buffer.from('"LocalAddress","LocalPort"\n'), /`netstat -ano`/],
    ["a configuration of Nagios", Buffer.from("define host {\n  host_name nas\n}\n"), /as CSV/],
    ["an error message", Buffer.from("bash: nmap: command not found\n"), /the error of a command/],
    ["a report of Qualys", Buffer.from("<?xml version='1.0'?><SCAN/>"), /a report of Qualys.*as CSV/],
    [
      "the normal output of nmap",
      Buffer.from("Starting Nmap 7.95 ( https://nmap.org )\nNmap scan report for 10.0.0.1\n"),
      /scan with -oX/,
    ],
  ])("%s", (_what, file, advice) => {
    expect(refusalOf(file)).toMatch(advice);
  });
});

describe("output below the command that printed it", () => {
  it.each([
    [
      "ss",
      "eva@nas:~$ sudo ss -tulpn\nNetid State Recv-Q Send-Q Local Address:Port Peer Address:Port\ntcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\n",
    ],
    [
      "docker",
      '$ docker inspect web\n[{"Id":"1","Name":"/web","Config":{},"State":{},"NetworkSettings":{"Networks":{}}}]\n',
    ],
    ["nmap", '$ nmap -oX - 10.0.0.1\n<?xml version="1.0"?>\n<nmaprun scanner="nmap"></nmaprun>\n'],
    [
      "netstat",
      "C:\\Users\\eva>netstat -an\n\nProto  Local Address  Foreign Address  State\nTCP  0.0.0.0:135  0.0.0.0:0  LISTENING\n",
    ],
    ["csv", "root@pve:~# cat table.csv\nip,name\n10.0.0.1,nas\n"],
  ])("is read as if it stood alone: %s", (format, text) => {
    const named = { hostId: null, hostname: "box" };
    for (const given of ["auto", format] as const)
      expect(readFile([Buffer.from(text)], { format: given as "auto", nowMs: 0, named }).format).toBe(format);
  });
});
