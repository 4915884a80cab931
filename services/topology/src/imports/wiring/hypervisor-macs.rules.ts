/** Of QEMU, Proxmox VE, VMware, Hyper-V, VirtualBox, Xen, Parallels and bhyve; they give these to virtual machines only. */
const OF_HYPERVISORS =
  /^(?:52:54:00|BC:24:11|00:0C:29|00:50:56|00:05:69|00:15:5D|08:00:27|00:16:3E|00:1C:42|58:9C:FC):/;

/** Whether a MAC address is that of a virtual machine. @param mac in canonical form */
export function isMachineOfHypervisor(mac: string): boolean {
  return OF_HYPERVISORS.test(mac);
}
