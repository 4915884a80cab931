/** What differs between two scans of a server. */
export interface ScannedServer {
  readonly nginx: string;
  readonly ssh: string;
  readonly certificateEnds: string;
}

/** `nmap -sV -O` with certificates and titles, of one server. */
export function versionedScan({ nginx, ssh, certificateEnds }: ScannedServer): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE nmaprun>
<nmaprun scanner="nmap" args="nmap -sV -O --script ssl-cert,http-title -oX - 10.3.0.5" start="1770000000" version="7.94">
<host><status state="up" reason="arp-response"/>
<address addr="10.3.0.5" addrtype="ipv4"/><address addr="00:11:32:00:00:05" addrtype="mac" vendor="Synology Incorporated"/>
<hostnames><hostname name="web.example" type="PTR"/></hostnames>
<ports>
<port protocol="tcp" portid="22"><state state="open" reason="syn-ack"/>
<service name="ssh" product="OpenSSH" version="${ssh}" method="probed" conf="10"><cpe>cpe:/a:openbsd:openssh:${ssh}</cpe></service>
<script id="ssh-hostkey" output="3072 aa:bb (RSA)"><table><elem key="type">ssh-rsa</elem></table></script></port>
<port protocol="tcp" portid="443"><state state="open" reason="syn-ack"/>
<service name="http" product="nginx" version="${nginx}" tunnel="ssl" method="probed" conf="10"><cpe>cpe:/a:igor_sysoev:nginx:${nginx}</cpe></service>
<script id="http-title" output="Photos"><elem key="title">Photos</elem></script>
<script id="ssl-cert" output="Subject: commonName=web.example">
<table key="subject"><elem key="commonName">web.example</elem></table>
<table key="issuer"><elem key="commonName">R11</elem><elem key="organizationName">Example CA</elem></table>
<table key="pubkey"><elem key="type">rsa</elem><elem key="bits">2048</elem></table>
<table key="extensions"><table><elem key="name">X509v3 Subject Alternative Name</elem><elem key="value">DNS:web.example, DNS:www.web.example, IP Address:10.3.0.5</elem></table>
<table><elem key="name">X509v3 Key Usage</elem><elem key="value">Digital Signature</elem></table></table>
<table key="validity"><elem key="notBefore">2026-01-01T00:00:00</elem><elem key="notAfter">${certificateEnds}</elem></table>
<elem key="pem">-----BEGIN CERTIFICATE-----&#xa;AAAA&#xa;-----END CERTIFICATE-----&#xa;</elem></script></port>
<port protocol="tcp" portid="631"><state state="open" reason="syn-ack"/><service name="ipp" method="table" conf="3"/></port>
</ports>
<os><osmatch name="Linux 4.15 - 5.19" accuracy="96" line="1"><osclass type="general purpose" vendor="Linux" osfamily="Linux" osgen="5.X" accuracy="96"><cpe>cpe:/o:linux:linux_kernel:5</cpe></osclass></osmatch>
<osmatch name="Linux 2.6" accuracy="90" line="2"/></os>
</host><runstats><finished time="1770000100" exit="success"/><hosts up="1" down="0" total="1"/></runstats></nmaprun>
`;
}
