import { definer, tcp, udp } from "./definition.js";

const virtualization = definer("Virtualization");
const monitoring = definer("Monitoring");
const dashboard = definer("Dashboard");
const development = definer("Development");
const identity = definer("IdentityAndAccess");

/** Runtime, monitoring, build and identity services. */
export const OPERATIONS = [
  virtualization("Proxmox VE", "Runs virtual machines and containers on a cluster of hosts.", tcp(8006)),
  virtualization("VMware ESXi", "Runs virtual machines directly on the hardware.", tcp(443, 902)),
  virtualization("VMware vCenter Server", "Manages many ESXi hosts from one place.", tcp(443, 5480)),
  virtualization("Microsoft Hyper-V", "Runs virtual machines on Windows.", tcp(2179)),
  virtualization("Docker", "Builds and runs containers through an engine interface.", tcp(2375, 2376)),
  virtualization("Kubernetes API", "Takes in the desired state of a Kubernetes cluster.", tcp(6443)),
  virtualization("Rancher", "Manages Kubernetes clusters in a web interface.", tcp(80, 443)),
  virtualization("Portainer", "Manages containers in a web interface.", tcp(8000, 9000, 9443)),

  monitoring("Prometheus", "Collects metrics from its targets and evaluates alert rules.", tcp(9090)),
  monitoring("Alertmanager", "Groups Prometheus alerts and sends them on.", tcp(9093, 9094), udp(9094)),
  monitoring("Prometheus Node Exporter", "Exposes the metrics of a Unix host.", tcp(9100)),
  monitoring("Zabbix", "Monitors hosts, networks and applications.", tcp(80, 443, 10051)),
  monitoring("Zabbix Agent", "Reports the values of a host to Zabbix.", tcp(10050)),
  monitoring("Nagios Core", "Checks hosts and services and notifies about failures.", tcp(80, 443)),
  monitoring("Checkmk", "Monitors infrastructure with agents and discovered checks.", tcp(80, 443, 8000)),
  monitoring("LibreNMS", "Discovers and monitors network devices.", tcp(80, 443)),
  monitoring("PRTG Network Monitor", "Watches networks through sensors.", tcp(80, 443, 23560)),
  monitoring("Netdata", "Shows the metrics of a host second by second.", tcp(19999)),
  monitoring("Uptime Kuma", "Checks whether services can be reached.", tcp(3001)),
  monitoring("Grafana Loki", "Stores logs indexed by labels.", tcp(3100)),
  monitoring("Graylog", "Collects, searches and analyses logs.", tcp(9000, 12201), udp(12201)),
  monitoring("Syslog", "Takes in the log messages of hosts and devices.", tcp(514, 6514), udp(514)),
  monitoring("Splunk Enterprise", "Indexes and searches machine data.", tcp(8000, 8088, 8089, 9997)),
  monitoring("OpenTelemetry Collector", "Receives traces, metrics and logs and forwards them.", tcp(4317, 4318)),
  monitoring("Network UPS Tools", "Watches uninterruptible power supplies.", tcp(3493)),
  monitoring("IPMI", "Controls and watches a server below its operating system.", udp(623)),

  dashboard("Grafana", "Draws metrics and logs from many sources as dashboards.", tcp(3000)),
  dashboard("Kibana", "Explores and visualizes Elasticsearch data.", tcp(5601)),
  dashboard("Homepage", "Shows links and live values of services on a start page.", tcp(3000)),
  dashboard("Homarr", "Arranges a home server's services on a board.", tcp(7575)),
  dashboard("Cockpit", "Administers a Linux host in the browser.", tcp(9090)),
  dashboard("Webmin", "Administers Unix hosts in the browser.", tcp(10000)),

  development("GitLab", "Hosts repositories with issues and pipelines.", tcp(22, 80, 443)),
  development("Gitea", "Hosts repositories with few resources.", tcp(22, 3000)),
  development("Forgejo", "Hosts repositories under the care of a community.", tcp(22, 3000)),
  development("Jenkins", "Builds, tests and delivers software in jobs.", tcp(8080, 50000)),
  development("Argo CD", "Keeps Kubernetes in step with a Git repository.", tcp(80, 443)),
  development("Docker Registry", "Stores and hands out container images.", tcp(5000)),
  development("n8n", "Automates workflows between applications.", tcp(5678)),
  development("Ollama", "Runs language models on local hardware.", tcp(11434)),

  identity("Keycloak", "Signs users in to applications over OpenID Connect and SAML.", tcp(8080, 8443)),
  identity("authentik", "Provides single sign-on with configurable flows.", tcp(9000, 9443)),
  identity("Authelia", "Puts a sign-in with a second factor before web applications.", tcp(9091)),
  identity("FreeIPA", "Manages the users and hosts of Linux domains.", tcp(80, 88, 389, 443, 464, 636), udp(88, 464)),
  identity("LDAP", "Answers directory queries about users and groups.", tcp(389, 636)),
  identity("OpenLDAP", "Keeps a directory that clients query over LDAP.", tcp(389, 636)),
  identity("Active Directory", "Manages Windows domains.", tcp(88, 389, 445, 464, 636, 3268, 3269), udp(88, 389, 464)),
  identity("Kerberos", "Issues tickets that prove who a user is.", tcp(88, 464), udp(88, 464)),
  identity("RADIUS", "Decides who may use a network and accounts for it.", udp(1812, 1813)),
  identity("TACACS+", "Authorizes administrators of network devices.", tcp(49)),
  identity("HashiCorp Vault", "Keeps secrets and issues short-lived credentials.", tcp(8200, 8201)),
  identity("Vaultwarden", "Keeps passwords for Bitwarden clients.", tcp(80)),
];
