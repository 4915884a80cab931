import { getVersion, type Permission } from "@nts/shared/contract";
import { Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useLimit } from "../api/limit.js";
import { useOne } from "../api/queries.js";
import { FactList } from "../parts/fact-list.js";
import { Panel } from "../parts/page.js";
import { When } from "../parts/when.js";
import { useSession } from "../session/session.js";
import { useNetworkScope } from "../scope/networks.js";
import { reachText } from "../users/reach-text.js";

/** Who can change the role and networks of a user. */
function adviceFor(level: Permission): string {
  if (level === "Owner") return "Only another Owner can change your role.";
  if (level === "Admin") return "Ask an Owner of your organization to change your role.";
  return "Ask an Owner or Admin of your organization to change your role or networks.";
}

/** The caller's identity and permissions. */
export function RightsPart(): ReactNode {
  const { user, permissions, network_ids, expires_at } = useSession();
  const { nameOf } = useNetworkScope();
  const limit = useLimit();
  const version = useOne(getVersion, {});
  const facts: readonly (readonly [string, ReactNode])[] = [
    ["Email", user.email],
    ["Role", permissions],
    ["Networks", reachText({ permissions, network_ids }, nameOf)],
    ["Session ends", <When key="ends" at={expires_at} />],
    ["Requests", limit === null ? "–" : `${limit.limit} per minute, shared by your sessions and API keys`],
    ["Version", version.data?.data.server_version ?? "–"],
  ];
  return (
    <Panel pad>
      <Title order={2} mb="md">
        You
      </Title>
      <FactList facts={facts} />
      <Text size="sm" c="dimmed" mt="md">
        {adviceFor(permissions)}
      </Text>
    </Panel>
  );
}
