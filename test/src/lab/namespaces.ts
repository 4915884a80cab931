/** The lab as network namespaces: a router with a bridge, and a machine behind each of its ports. */
import { execa } from "execa";
import { type Lab, listening, MACHINES, ROUTER_IP, within } from "./machines.js";

/** @throws Error when network namespaces are not allowed here */
export async function buildOfNamespaces(): Promise<Lab> {
  const names = ["gw", ...MACHINES.map(({ name }) => name)];
  const space = (machine: string): string => `nts-lab-${process.pid}-${machine}`;
  const prefixOf = (machine: string): string[] => ["ip", "netns", "exec", space(machine)];
  const servers: { kill(): unknown }[] = [];
  const lab: Lab = {
    prefixOf,
    see: () => Promise.resolve({}),
    async remove() {
      for (const server of servers) server.kill();
      for (const name of names) await execa("ip", ["netns", "delete", space(name)], { reject: false });
    },
  };
  const gw = (...args: string[]): Promise<string> => within(lab, "gw", "ip", ...args);

  try {
    for (const name of names) await execa("ip", ["netns", "add", space(name)]);
    await gw("link", "set", "lo", "up");
    await gw("link", "add", "eth0", "address", "00:16:3e:00:00:01", "type", "bridge");
    await gw("address", "add", `${ROUTER_IP}/24`, "dev", "eth0");
    await gw("link", "set", "eth0", "up");
    for (const machine of MACHINES) {
      const { name, ip, mac } = machine;
      const far = ["peer", "name", "eth0", "address", mac, "netns", space(name)];
      await gw("link", "add", `to-${name}`, "type", "veth", ...far);
      await gw("link", "set", `to-${name}`, "master", "eth0", "up");
      await within(lab, name, "ip", "address", "add", `${ip}/24`, "dev", "eth0");
      for (const link of ["lo", "eth0"]) await within(lab, name, "ip", "link", "set", link, "up");
      const [program = "", ...args] = [...prefixOf(name), process.execPath, ...listening(machine)];
      servers.push(execa(program, args, { stdio: "ignore", reject: false }));
    }
    return lab;
  } catch (error) {
    await lab.remove();
    throw error;
  }
}
