import { Badge, Button, Text } from "@mantine/core";
import { deleteSession, listProviders, listSessions, revokeOtherSessions, type Session } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { useOne, useRows, useSend } from "../api/queries.js";
import { useConfirm } from "../forms/confirm.js";
import { FailureState } from "../parts/failure-state.js";
import { Part, PartBody } from "../parts/part.js";
import { notifySuccess } from "../parts/toast.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import classes from "./settings.module.css";

/** The caller's sessions, which can be ended. */
export function SessionsPart(): ReactNode {
  const { data, error, refetch } = useRows(listSessions, { query: { limit: 1000 } });
  const ask = useConfirm();
  const send = useSend();
  const sessions = inOrder(data?.data ?? []);
  const endOne = (session: Session): void =>
    ask({
      title: "End this session?",
      text: `${nameOf(session)} is signed out immediately.`,
      verb: "End session",
      run: async () => {
        await send(deleteSession, { params: { id: session.id } });
        notifySuccess("Session ended.");
      },
    });
  const endOthers = (): void =>
    ask({
      title: "End all other sessions?",
      text: "All other browsers are signed out immediately. API keys stay valid. If you do not recognize a session, also change your password.",
      verb: "End all others",
      run: async () => {
        await send(revokeOtherSessions, {});
        notifySuccess("Your other sessions have ended.");
      },
    });
  return (
    <Part
      title="Sessions"
      action={
        sessions.length > 1 && (
          <Button size="xs" variant="default" onClick={endOthers}>
            End all others
          </Button>
        )
      }
    >
      {data === undefined ? (
        <PartBody>
          {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
        </PartBody>
      ) : (
        <ul className={classes.sessions}>
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} onEnd={() => endOne(session)} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function SessionRow({ session, onEnd }: { readonly session: Session; readonly onEnd: () => void }): ReactNode {
  const { address, created_at, last_used, provider, device, current } = session;
  const providers = useOne(listProviders, {}).data?.data ?? [];
  const providerName = providers.find(({ id }) => id === provider)?.name ?? provider;
  return (
    <li className={classes.session}>
      <div>
        <Text size="sm" fw={600}>
          {nameOf(session)}
        </Text>
        <Text size="sm" c="dimmed">
          {address !== null && `${address} · `}signed in{device && " by code"}
          {provider !== null && ` by ${providerName}`} <When at={created_at} />
          {!current && (
            <>
              {" "}
              · used <When at={last_used} />
            </>
          )}
        </Text>
      </div>
      {current ? (
        <Badge variant="light">This session</Badge>
      ) : (
        <Button size="xs" variant="subtle" color="red" aria-label={`End ${nameOf(session)}`} onClick={onEnd}>
          End
        </Button>
      )}
    </li>
  );
}

const nameOf = ({ browser }: Session): string => browser ?? "Unknown browser";

/** The current session first, then by last use. */
function inOrder(sessions: readonly Session[]): readonly Session[] {
  return [...sessions].sort(
    (a, b) => Number(b.current) - Number(a.current) || Date.parse(b.last_used) - Date.parse(a.last_used),
  );
}
