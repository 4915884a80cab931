/** Races of writers of one entity: exactly one state results, that of one writer. */
import {
  getInterface,
  getService,
  type Interface,
  type Service,
  updateInterface,
  updateService,
} from "@nts/shared/contract";
import { BATCH, type PrepareRound } from "./topology-races.js";
import { aHost, echoOf, inputOf, onPort, type World } from "./topology-world.js";

/** The members of a service that an update sets. */
function updatableMembersOf({ name, position, service_definition, tags, virtualization, bindings }: Service): string {
  const said = { name, position, service_definition, tags, virtualization, bindings: bindings.map(inputOf) };
  return JSON.stringify(said);
}

/** Two updates of one service that differ in every member. @param ifMatch the revision in both, if any */
export function twoUpdates(ifMatch?: string): PrepareRound {
  return async ({ left, right, take }) => {
    const { host, service } = await take(async () => {
      const made = await aHost(left, { ports: 2, services: BATCH });
      return made.services.map((one) => ({ host: made, service: one }));
    });
    const update =
      ({ owner }: World, n: number) =>
      () => {
        const name = `writer ${n}`;
        const body = {
          ...echoOf(service),
          name,
          position: service.position + n,
          service_definition: name,
          tags: [name],
          virtualization: { type: name, details: { name } },
          bindings: [onPort(host.ports[n])],
        };
        return owner.send(updateService, { params: service, body, headers: { "if-match": ifMatch } });
      };
    return {
      requests: [update(left, 0), update(right, 1)],
      fault: async (responses) => {
        const stored = updatableMembersOf(await left.owner.call(getService, { params: service }));
        const written = responses
          .filter(({ status }) => status === 200)
          .map(({ data }) => updatableMembersOf(data as Service));
        return written.includes(stored) ? null : { written, stored };
      },
    };
  };
}

/** Four writers of the MAC address of one interface, and a fifth after it is set. */
export const manyMacAddresses: PrepareRound = async ({ left, right, take }) => {
  const at = await take(async () => (await aHost(left, { interfaces: BATCH })).interfaces);
  const set = (n: number) => () => {
    const body = { ...at, mac_address: `02:00:00:00:00:0${n}` };
    return (n % 2 === 0 ? left : right).owner.send(updateInterface, { params: at, body });
  };
  return {
    requests: [set(0), set(1), set(2), set(3)],
    fault: async (responses) => {
      const winners = responses
        .filter(({ status }) => status === 200)
        .map(({ data }) => (data as Interface).mac_address);
      const refused = [...responses, await set(4)()].filter(({ code }) => code === "mac_address_immutable").length;
      const stored = (await left.owner.call(getInterface, { params: at })).mac_address;
      return winners.length === 1 && refused === 4 && stored === winners[0] ? null : { winners, refused, stored };
    },
  };
};
