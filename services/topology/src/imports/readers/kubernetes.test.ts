import { describe, expect, it } from "@jest/globals";
import { corpusFile } from "../testing/corpus.js";
import { createMemoryNetwork } from "../testing/network.js";
import { importedFrom, read, refusalOf, skippedIn } from "../testing/reading.js";
import { kubernetes } from "./kubernetes.js";

const INNER = "other machines do not reach addresses inside the cluster";

describe("the objects of a cluster", () => {
  it.each([
    [
      "kubeadm",
      [
        "k8s-control [192.168.1.60]: games/minetest: 30000/Udp@all · kube-system/etcd:  · kube-system/kube-apiserver: 6443/Tcp@all · media/jellyfin: 30096/Tcp@all",
        "k8s-worker-1 [192.168.1.61, fd00:1::61]: games/minetest: 30000/Udp@all · kube-system/kube-proxy:  · media/jellyfin: 30096/Tcp@all · monitoring/node-exporter: 9100/Tcp@all",
      ],
      [
        "14 pod default/migrate-28x7k: not running",
        `11 2 pods, such as kube-system/coredns-7db6d8ff4d-2xq9l: ${INNER}`,
        `3 2 services of the type ClusterIP, such as default/kubernetes: ${INNER}`,
        "7 service of the type ExternalName default/docs: it is a name of something outside the cluster",
      ],
    ],
    [
      "k3s",
      ["pi4 [192.168.1.70]: kube-system/traefik: 31080/Tcp@all 31443/Tcp@all 443/Tcp@all 80/Tcp@all"],
      [`102 pod kube-system/traefik-6c7f8d4b9-lm5rk: ${INNER}`],
    ],
    [
      "metallb",
      [
        "ingress-nginx/ingress-nginx-controller [192.168.1.240]: ingress-nginx/ingress-nginx-controller: 443/Tcp@192.168.1.240 80/Tcp@192.168.1.240",
        "dns/adguard-tcp [192.168.1.241]: dns/adguard-tcp: 53/Tcp@192.168.1.241 · dns/adguard-udp: 53/Udp@192.168.1.241",
        "voip/asterisk [192.168.1.245]: voip/asterisk: 5060/Udp@192.168.1.245",
      ],
      [
        `6 pod dns/adguard-0: ${INNER}`,
        "1 port 32080 of service ingress-nginx/ingress-nginx-controller: the file has no nodes, which open it",
        "1 port 32443 of service ingress-nginx/ingress-nginx-controller: the file has no nodes, which open it",
        "2 port 31053 of service dns/adguard-tcp: the file has no nodes, which open it",
        "3 port 31054 of service dns/adguard-udp: the file has no nodes, which open it",
        "4 load balancer of service default/pending: it has no address yet",
        "5 port 5060 of service voip/asterisk: only TCP and UDP ports from 1 to 65535 are supported",
      ],
    ],
    [
      "nodes",
      ["talos-1 [192.168.1.80]: ", "win-1 [192.168.1.82]: "],
      ["65 node talos-2: it does not report to its cluster"],
    ],
    [
      "cloud",
      ["ip-10-0-1-23.eu-central-1.compute.internal [10.0.1.23, 203.0.113.23]: shop/web: 31943/Tcp@all"],
      ["2 address a1b2c3d4.elb.eu-central-1.amazonaws.com of service shop/web: it is not an IP address"],
    ],
    [
      "pods",
      ["rack1-a [192.168.1.90]: monitoring/node-exporter: 9100/Tcp@192.168.1.90 · storage/smb: 445/Tcp@all"],
      [
        "1 port 9999 of pod monitoring/node-exporter-4k8sd: it is published on the loopback address only",
        "2 port 9000 of pod storage/smb-0: only TCP and UDP ports are supported",
        "3 pod default/pending-1: not running",
      ],
    ],
    [
      "services",
      [],
      [
        `2 service of the type ClusterIP default/api: ${INNER}`,
        "1 port 30080 of service default/web: the file has no nodes, which open it",
      ],
    ],
    ["api", ["edge-1 [192.168.1.95]: "], []],
    ["single", ["nuc.home.example [192.168.1.97]: "], []],
    [
      "one-by-one",
      ["hp-1 [192.168.1.98]: default/whoami: 30081/Tcp@all"],
      [
        "2 address 169.254.3.4 of node hp-2: its address is link-local",
        "2 node hp-2: it has no address",
        "4 object of the kind ConfigMap default/kube-root-ca.crt: only nodes, services and pods are read",
      ],
    ],
  ])("become its nodes and what they open, and the rest is named with a reason: %s", (name, hosts, skipped) => {
    const file = corpusFile("kubernetes", name);
    expect(importedFrom([[file]])).toEqual(hosts);
    expect(skippedIn(kubernetes, file)).toEqual(skipped);
  });

  it("list what is cut, and what is more than is read", () => {
    const long = "x".repeat(120);
    const labels = Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`node-role.kubernetes.io/role-${n}`, ""]));
    const node = (name: string, ip: string, nodeInfo = {}) => ({
      kind: "Node",
      metadata: { name, labels: name === "one" ? labels : {} },
      status: { addresses: [{ type: "InternalIP", address: ip }], nodeInfo },
    });
    const ports = Array.from({ length: 1_001 }, (_, n) => ({ hostPort: n + 1, containerPort: n + 1 }));
    const items = [
      node("one", "192.168.1.1", { osImage: `Linux ${"y".repeat(200)}` }),
      node("n".repeat(254), "192.168.1.2"),
      {
        kind: "Pod",
        metadata: { namespace: "default", name: long },
        spec: { nodeName: "one", containers: [{ image: `registry.example/${"z".repeat(200)}`, ports }] },
        status: { phase: "Running" },
      },
      {
        kind: "Service",
        metadata: { namespace: "default", name: long },
        spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30_080 }] },
      },
    ];
    const title = `default/${long}`.slice(0, 100);
    expect(skippedIn(kubernetes, JSON.stringify({ kind: "List", items }))).toEqual([
      "1 roles of node one: only the first 5 of 6 are read",
      "1 operating system of node one: only its first 200 characters are kept",
      `2 name of node ${"n".repeat(60)}: it is not a text of 1 to 253 characters`,
      `3 ports of pod ${title}: only the first 1000 of 1001 are read`,
      `3 image of pod ${title}: only its first 200 characters are kept`,
      `3 name of pod ${title}: only its first 100 characters are kept`,
      `4 name of service ${title}: only its first 100 characters are kept`,
    ]);
  });

  const imported = (...names: string[]) => {
    const network = createMemoryNetwork();
    for (const name of names) network.importFile(corpusFile("kubernetes", name), false);
    return [...network.hosts.values()];
  };

  it("say what runs by the images of the pods that services select", () => {
    const services = imported("kubeadm", "k3s", "metallb", "pods").flatMap((host) => host.services);
    const kinds = services.map(({ entity }) => `${entity.name}: ${entity.service_definition}`);
    expect([...new Set(kinds)].sort()).toEqual([
      "dns/adguard-tcp: AdGuard Home",
      "dns/adguard-udp: AdGuard Home",
      "games/minetest: Container",
      "ingress-nginx/ingress-nginx-controller: Container",
      "kube-system/etcd: etcd",
      "kube-system/kube-apiserver: Kubernetes API",
      "kube-system/kube-proxy: kube proxy",
      "kube-system/traefik: Traefik",
      "media/jellyfin: Jellyfin",
      "monitoring/node-exporter: Prometheus Node Exporter",
      "storage/smb: Samba",
      "voip/asterisk: Container",
    ]);
    const exporter = services.find(({ entity }) => entity.name === "monitoring/node-exporter")?.entity;
    expect(exporter?.virtualization).toMatchObject({
      type: "Kubernetes",
      details: { container: "monitoring/node-exporter", image: "quay.io/prometheus/node-exporter:v1.8.2" },
    });
    expect(exporter?.observed).toMatchObject({ version: { value: "v1.8.2" }, confidence: { value: "reported" } });
  });

  it("keep what nodes say of themselves", () => {
    const said = imported("kubeadm", "k3s", "nodes", "cloud", "api", "single").map(({ host: { entity } }) => {
      const { hostname, attributes, observed } = entity;
      return [hostname?.split(".")[0], attributes["kubernetes_role"], observed?.os?.name, observed?.os?.version];
    });
    expect(said).toEqual([
      ["k8s-control", "control-plane", "Ubuntu", "24.04.1 LTS"],
      ["k8s-worker-1", "worker", "Debian GNU/Linux", "12 (bookworm)"],
      ["pi4", "control-plane, master", "Debian GNU/Linux", "12 (bookworm)"],
      ["talos-1", "control-plane", "Talos (v1.9.1)", null],
      ["win-1", "worker", "Windows Server 2022 Datacenter", null],
      ["ip-10-0-1-23", "worker", "Bottlerocket OS", "1.29.0 (aws-k8s-1.31)"],
      ["edge-1", "worker", "Flatcar Container Linux by Kinvolk", "4081.2.1 (Oklo)"],
      ["nuc", "control-plane, etcd", "openSUSE MicroOS", null],
    ]);
    const [node] = read(kubernetes, corpusFile("kubernetes", "kubeadm")).hosts;
    expect(node?.vendor).toBe(
      "Ubuntu 24.04.1 LTS, kernel 6.8.0-51-generic, amd64, Kubernetes v1.31.4, containerd://1.7.24",
    );
  });

  it.each([
    [
      "apiVersion: apps/v1\nkind: Deployment\n",
      "line 1, column 1: must have nodes, services or pods: import the output of `kubectl get nodes,services,pods -A -o json`",
    ],
    ['{"kind": "List"}\n[1]', "line 2, column 1: must be objects of Kubernetes"],
    ['{"kind": "List", "items": [', "line 1, column 28: is not valid JSON"],
    ["kind: List\nitems: [\n", "line 3, column 1: is not valid YAML"],
  ])("are refused with the place, if they are of something else: %#", (file, refusal) => {
    expect(refusalOf(kubernetes, file)?.slice(0, refusal.length)).toBe(refusal);
  });
});
