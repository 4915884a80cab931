import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import {
  createInterface,
  createSubnet,
  getSubnetUtilization,
  type Host,
  type Interface,
  type Subnet,
} from "@nts/shared/contract";
import { type Caller, startTopology, type Topology } from "../support/topology.js";
import { aHost, aNetwork, type World } from "../support/topology-world.js";

let topology: Topology;
let owner: Caller;
let world: World;
let host: Host;

beforeAll(async () => {
  topology = await startTopology();
  owner = topology.aCaller();
  world = await aNetwork(owner);
  host = await aHost(world);
});
afterAll(() => topology.stop());

const bodyFor = ({ id }: Subnet, ip_address: string) => ({
  ...{ host_id: host.id, network_id: host.network_id, subnet_id: id, ip_address },
});
const add = (subnet: Subnet, ip_address = "next"): Promise<Interface> =>
  owner.call(createInterface, { body: bodyFor(subnet, ip_address) });
const addressOf = ({ ip_address }: Interface): string => ip_address;
const utilizationOf = ({ id }: Subnet) => owner.call(getSubnetUtilization, { params: { id } });

describe("subnets of IPv4-mapped IPv6 addresses", () => {
  it("are IPv4, as the addresses are", async () => {
    const body = { network_id: world.network.id, cidr: "::ffff:10.200.0.0/125", name: "mapped" };
    const subnet = await owner.call(createSubnet, { body });
    expect(subnet.cidr).toBe("10.200.0.0/29");
    expect(addressOf(await add(subnet))).toBe("10.200.0.1");
    expect(addressOf(await add(subnet, "::ffff:10.200.0.3"))).toBe("10.200.0.3");
    expect(await utilizationOf(subnet)).toEqual({ size: 6, used: 2, reserved: 0, free: 4, next: "10.200.0.2" });
    const outside = [400, "ip_outside_subnet", { ip_address: "10.200.0.8", cidr: "10.200.0.0/29" }];
    expect(await owner.refusal(createInterface, { body: bodyFor(subnet, "::ffff:10.200.0.8") })).toEqual(outside);
  });
});
