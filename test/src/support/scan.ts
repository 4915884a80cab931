/** A scan file of three hosts from nmap: one of them is down. */
export const SCAN = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE nmaprun>
<nmaprun scanner="nmap" args="nmap -sV -oX scan.xml 192.168.7.0/24" start="1763700000" version="7.93" xmloutputversion="1.05">
<host><status state="up" reason="arp-response"/><address addr="192.168.7.1" addrtype="ipv4"/>
<address addr="00:11:32:AA:00:01" addrtype="mac" vendor="Synology"/>
<hostnames><hostname name="router.home.arpa" type="PTR"/></hostnames>
<ports><port protocol="tcp" portid="53"><state state="open" reason="syn-ack"/><service name="domain" product="dnsmasq" method="probed" conf="10"/></port>
<port protocol="tcp" portid="443"><state state="open" reason="syn-ack"/><service name="https" tunnel="ssl" product="nginx" method="probed" conf="10"/></port></ports></host>
<host><status state="up" reason="arp-response"/><address addr="192.168.7.20" addrtype="ipv4"/>
<address addr="00:11:32:AA:00:20" addrtype="mac"/>
<hostnames><hostname name="nas.home.arpa" type="PTR"/></hostnames>
<ports><port protocol="tcp" portid="22"><state state="open" reason="syn-ack"/><service name="ssh" product="OpenSSH" method="probed" conf="10"/></port></ports></host>
<host><status state="down" reason="no-response"/><address addr="192.168.7.99" addrtype="ipv4"/></host>
<runstats><finished time="1763700100" exit="success"/><hosts up="2" down="1" total="3"/></runstats>
</nmaprun>
`;
