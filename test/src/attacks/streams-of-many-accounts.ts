import type { Attack, Tenant } from "../support/attacks/attack.js";
import { closeAll, expectThat, headOf, statusesOf, tally } from "../support/attacks/parts.js";
import { newAddress } from "../support/attacks/target.js";
import { openRawSocket, type RawSocket } from "../support/raw-socket.js";
import { until } from "../support/until.js";

const ACCOUNTS = 11;
const STREAMS_OF_ACCOUNT = 100;
const STREAM = "GET /api/v1/changes/stream";

interface Prepared {
  readonly accounts: readonly Tenant[];
  readonly victim: Tenant;
}

/** A gateway has 1,000 streams, an organization 100 of them, a user 10 unless the attack says otherwise. */
export const attack: Attack<Prepared> = {
  name: `change streams of ${ACCOUNTS} accounts at one address, ${STREAMS_OF_ACCOUNT} each, while somebody else opens one`,
  settings: { CHANGE_STREAMS_PER_USER: String(STREAMS_OF_ACCOUNT) },
  prepare: async (target) => {
    const accounts: Tenant[] = [];
    while (accounts.length < ACCOUNTS) accounts.push(await target.newTenant());
    return { accounts, victim: await target.newTenant() };
  },
  run: async ({ url }, { accounts, victim }) => {
    const from = newAddress();
    const sockets: RawSocket[] = [];
    try {
      for (const { keyLine } of accounts)
        for (let n = 0; n < STREAMS_OF_ACCOUNT; n++) {
          const socket = await openRawSocket(url, { from });
          sockets.push(socket);
          socket.write(headOf(STREAM, keyLine, "Accept: text/event-stream"));
        }
      await until(() => sockets.every((socket) => socket.received() !== "" || !socket.isOpen()));
      const own = await victim.connect(1);
      sockets.push(...own);
      own[0]?.write(headOf(STREAM, victim.keyLine, "Accept: text/event-stream"));
      await until(() => own[0]?.received() !== "");
      const [status] = statusesOf(own);
      expectThat(status === 200, `somebody else's stream was answered ${status}`);
      return tally(statusesOf(sockets));
    } finally {
      closeAll(sockets);
    }
  },
};
