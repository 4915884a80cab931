import { Button, Text } from "@mantine/core";
import { deleteKey, listKeys, type UserApiKey } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useRows, useSend } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import { FailureState } from "../parts/failure-state.js";
import { Part, PartBody } from "../parts/part.js";
import { notifySuccess } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { useNetworkScope } from "../scope/networks.js";
import classes from "./settings.module.css";

/** Assistants that the caller has let in, whose access can be ended. */
export function AssistantsPart(): ReactNode {
  const { data, error, refetch } = useRows(listKeys, { query: { of_assistants: true, limit: 1000, order_by: "name" } });
  const ask = useConfirm();
  const send = useSend();
  const end = ({ id, name }: UserApiKey): void =>
    ask({
      title: `End the access of ${name}?`,
      text: "It can do nothing more from now on. It may ask you again.",
      verb: "End access",
      run: async () => {
        await send(deleteKey, { params: { id } });
        notifySuccess(`The access of ${name} has ended.`);
      },
    });
  if (data === undefined)
    return (
      <Part title="Assistants">
        <PartBody>
          {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
        </PartBody>
      </Part>
    );
  if (data.data.length === 0)
    return (
      <Part title="Assistants">
        <PartBody>
          <Text size="sm" c="dimmed">
            You have let no AI assistant in. One that supports the Model Context Protocol asks here by itself, if you
            give it the address {`${window.location.origin}/mcp`}.
          </Text>
        </PartBody>
      </Part>
    );
  return (
    <Part title="Assistants">
      <ul className={classes.sessions}>
        {data.data.map((key) => (
          <AssistantRow key={key.id} access={key} onEnd={() => end(key)} />
        ))}
      </ul>
    </Part>
  );
}

function AssistantRow({ access, onEnd }: { readonly access: UserApiKey; readonly onEnd: () => void }): ReactNode {
  const { name, permissions, restricted, network_ids, created_at, last_used } = access;
  const { nameOf } = useNetworkScope();
  const networks = network_ids.length === 0 ? "no network" : network_ids.map(nameOf).join(", ");
  return (
    <li className={classes.session}>
      <div>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {permissions} · {restricted ? networks : "all networks"} · let in <When at={created_at} />
          {last_used !== null && (
            <>
              {" "}
              · used <When at={last_used} />
            </>
          )}
        </Text>
      </div>
      <Button size="xs" variant="subtle" color="red" aria-label={`End the access of ${name}`} onClick={onEnd}>
        End
      </Button>
    </li>
  );
}
