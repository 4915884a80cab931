// What a MAC address tells about itself.

/** Of VRRP and CARP, HSRP and GLBP: that of the router that answers at the moment, and the same in many networks. */
const OF_ROUTERS = /^(?:00:00:5E:00:0[12]|00:00:0C:07:AC|00:00:0C:9F:F.|00:05:73:A0:0.|00:07:B4:00:..):/;

/** Whether routers share a MAC address, so that it identifies none of them. @param mac in canonical form */
export function isOfRouters(mac: string): boolean {
  return OF_ROUTERS.test(mac);
}

/** Random, or of a virtual machine: it may be another one the next time. @param mac in canonical form */
export function isLocal(mac: string): boolean {
  return (parseInt(mac.slice(0, 2), 16) & 2) !== 0;
}
