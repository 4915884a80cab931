import { resourceNamed } from "./resources.js";

// An example for the help of each command.

const EXAMPLES: Readonly<Record<string, string>> = {
  login: "nts login --url https://topology.example.com --level Owner",
  logout: "nts logout --context office",
  whoami: "nts whoami -o json",
  "key rotate": "nts key rotate --grace 1h",
  "context list": "nts context list",
  "context use": "nts context use office",
  "context add": "nts context add office https://topology.example.com",
  "context remove": "nts context remove office",
  merge: "nts merge nas 192.168.1.21 --dry-run",
  split: "nts split nas --interface 192.168.1.21 --name storage",
  share: "nts share Rack --expires 30d --hide addresses",
  impact: "nts impact nas/Photos",
  attachment: "nts attachment nas",
  import: "nts import scan.xml --network Home --dry-run",
  "imports list": "nts imports",
  "imports show": "nts imports show 01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  "imports cancel": "nts imports cancel 01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  "imports undo": "nts imports undo 01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  "imports undos": "nts imports undos",
  "imports cancel-undo": "nts imports cancel-undo 01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  collect: "nts collect --network Home --dry-run",
  agent: "nts agent --server https://topology.example.com --token-file token",
  "collectors list": "nts collectors",
  "collectors jobs": "nts collectors jobs attic --limit 5",
  "collectors create": "nts collectors create attic --network Home --cron '*/15 * * * *'",
  "collectors token": "nts collectors token attic",
  "collectors run": "nts collectors run attic --targets 192.168.1.0/24",
  "collectors enable": "nts collectors enable attic",
  "collectors disable": "nts collectors disable attic",
  "collectors delete": "nts collectors delete attic",
  export: "nts export csv --network Home --to services.csv",
  changes: "nts changes --host nas --since 7d",
  watch: "nts watch --since 2h --network Home",
  diff: "nts diff --since 7d --network Home",
  revert: "nts revert 01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f --dry-run",
  apply: "nts get host nas -o yaml > nas.yaml && nts apply -f nas.yaml --dry-run",
  "notifications show": "nts notifications",
  "notifications set": "nts notifications set --events host_missed certificate_ending --network Home",
  api: "nts api get_host_by_id --param id=01938c4a-7d5e-7b21-9f3c-5a1b2c3d4e5f",
  completion: "source <(nts completion bash)",
};

const CREATIONS: Readonly<Record<string, string>> = {
  networks: "--set name=Home",
  subnets: "--set name=LAN cidr=192.168.1.0/24",
  vlans: "--set vid=20 name=Lab",
  hosts: "--network Home --set name=nas hostname=nas.home.example 'tags=[\"rack 1\"]' attributes.site=Cellar",
  interfaces: "--set host_id=nas subnet_id=LAN ip_address=next",
  ports: "--set host_id=nas number=443 protocol=tcp",
  services: "--set host_id=nas name=Photos service_definition=Immich bindings=443/tcp",
  dependencies: '--set client=tv \'server={"host":"nas","service":"Photos"}\'',
  links: '--set \'ends=[{"host":"nas","port":"eth0"},{"host":"switch","port":"24"}]\'',
  tags: "--set name=production",
  views: "--set name=Rack",
  invites: "--set permissions=Viewer",
  users: "--set kind=service name=backup permissions=Viewer",
  keys: "--set name=ci permissions=Viewer",
  webhooks: "--set url=https://hooks.example.com/nts",
};

const CHANGES: Readonly<Record<string, string>> = {
  hosts: "nas --set 'description=in the cellar' --dry-run",
  interfaces: "192.168.1.20 --set name=eth0",
  ports: "443/tcp --host nas --set number=8443",
  services: "Photos --set bindings=443/tcp",
  subnets: "192.168.1.0/24 --set vlan=Lab",
  users: "ada@example.com --set permissions=Admin",
};

const VERBS: Readonly<Record<string, (name: string, singular: string) => string>> = {
  get: (name) => `nts get ${name} -o wide`,
  create: (name, singular) => `nts create ${singular} ${CREATIONS[name] ?? `-f ${singular}.yaml`}`,
  edit: (name, singular) => `nts edit ${singular} ${CHANGES[name] ?? "NAME"}`,
  delete: (_name, singular) => `nts delete ${singular} NAME --yes`,
};

/** @param path the names of a command and those above it; null if it has no example of its own, as it only has others below it */
export function exampleFor(path: readonly string[]): string | null {
  const [verb = "", name = ""] = path;
  const ofVerb = VERBS[verb];
  if (ofVerb === undefined || name === "") return EXAMPLES[path.join(" ")] ?? null;
  return ofVerb(name, resourceNamed(name).singular);
}
