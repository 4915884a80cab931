// What a MAC address tells about itself.

/** Of VRRP and CARP, HSRP and GLBP: that of the router that answers at the moment, and the same in many networks. */
const OF_ROUTERS = /^(?:00:00:5E:00:0[12]|00:00:0C:07:AC|00:00:0C:9F:F.|00:05:73:A0:0.|00:07:B4:00:..):/;

/** Whether routers share a MAC address, so that it identifies none of them. @param mac in canonical form */
export function isOfRouters(mac: string): boolean {
  return OF_ROUTERS.test(mac);
}

/** Of network cards that hypervisors make: QEMU, VMware, Hyper-V, VirtualBox, Xen, Proxmox, Parallels and Docker. */
const OF_VIRTUAL_MACHINES =
  /^(?:52:54:00|00:0C:29|00:50:56|00:05:69|00:1C:14|00:15:5D|08:00:27|0A:00:27|00:16:3E|BC:24:11|00:1C:42|02:42):/;

/** Whether a hypervisor has made a network card, so that its machine may be a copy of another one. @param mac in canonical form */
export function isOfVirtualMachine(mac: string): boolean {
  return OF_VIRTUAL_MACHINES.test(mac);
}

/** Random, or of a virtual machine: it may be another one the next time. @param mac in canonical form */
export function isLocal(mac: string): boolean {
  return (parseInt(mac.slice(0, 2), 16) & 2) !== 0;
}
