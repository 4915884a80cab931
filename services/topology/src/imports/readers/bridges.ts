// Local bridges for containers and virtual machines, whose addresses are unreachable from outside and equal on every
// machine.

const BRIDGE =
  /^(?:docker\d+|docker_gwbridge|br-[0-9a-f]{12}|veth\w*|cni\d+|cni-podman\d+|podman\d+|flannel\.\d+|cali\w*|cilium\w*|lxcbr\d+|lxdbr\d+|incusbr\d+|virbr\d+(?:-nic)?|vnet\d+|bridge1\d\d|vmenet\d+|fwbr\w*|fwln\w*|fwpr\w*|tap\w*)$/;

/** Maximum length of link names, exclusive. */
const NAME_LIMIT = 50;

/** True for the name of a host-local link. */
export function isOfBridge(link: string): boolean {
  return link.length <= NAME_LIMIT && BRIDGE.test(link);
}

/** The default bridge addresses of Docker, Podman and libvirt. @param ip in canonical form */
export function isOwnAddressOfBridge(ip: string): boolean {
  return ip === "172.17.0.1" || ip === "10.88.0.1" || ip === "192.168.122.1";
}

/** Reason for skipping. */
export function behindBridge(link: string): string {
  return `${link} leads to containers or virtual machines inside of one machine`;
}
