import { Alert, Button, Group, MultiSelect, Radio, Select, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { ApiError } from "@nts/shared/client";
import {
  type AskingAssistant,
  AuthorizationRequest,
  isAtLeast,
  letAssistantIn,
  type Membership,
  PERMISSIONS,
  type Permission,
  showAssistant,
} from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { api } from "../api/client.js";
import { useWrite } from "../api/queries.js";
import { FailureState } from "../parts/failure-state.js";
import { Page, Panel } from "../parts/page.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { useNetworkScope } from "../scope/networks.js";
import { useSession } from "../session/session.js";
import { useActIn, useOrganizations } from "../session/use-organizations.js";
import classes from "./device-page.module.css";
import { refusalOf } from "./refusal.js";

const LEVELS: Readonly<Record<Permission, string>> = {
  Owner: "Owner: everything that you can",
  Admin: "Admin: also networks, tags and collectors",
  Member: "Member: read, and change hosts, services and subnets",
  Viewer: "Viewer: only read",
};

/** Where an assistant sends a person, who sees what it is and decides what it may do. */
export default function AuthorizePage(): ReactNode {
  const [search] = useSearchParams();
  const request = useMemo(() => requestIn(search), [search]);
  const { data, error, refetch } = useQuery({
    queryKey: ["show_assistant", request],
    queryFn: () => api.call(showAssistant, { body: request }),
    retry: false,
  });
  const problem = data?.problem ?? null;
  const refuseTo = data?.refuse_to;
  useEffect(() => {
    if (problem !== null && refuseTo !== undefined) window.location.replace(refuseTo);
  }, [problem, refuseTo]);
  return (
    <Page title="Let an assistant in" about="It then acts for you, within what you allow here.">
      <Panel pad>
        <div className={classes.narrow}>
          {error !== null && data === undefined ? (
            <Unknown error={error} onRetry={() => void refetch()} />
          ) : data === undefined || problem !== null ? (
            <Waiting />
          ) : (
            <Question request={request} asking={data} />
          )}
        </div>
      </Panel>
    </Page>
  );
}

/** The parameters of the request, as they arrived. */
function requestIn(search: URLSearchParams): AuthorizationRequest {
  const names = Object.keys(AuthorizationRequest.shape) as (keyof AuthorizationRequest)[];
  const entries = names.flatMap((name) => {
    const value = search.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { client_id: "", ...Object.fromEntries(entries) };
}

function Unknown({ error, onRetry }: { readonly error: Error; readonly onRetry: () => void }): ReactNode {
  if (!(error instanceof ApiError) || error.code !== "not_found")
    return <FailureState error={error} onRetry={onRetry} />;
  return (
    <Alert color="red" role="alert">
      This link does not come from an assistant that is registered here, or would send you elsewhere than it said.
      Nothing was allowed. Remove this server in the assistant, add it again, and start over.
    </Alert>
  );
}

interface QuestionProps {
  readonly request: AuthorizationRequest;
  readonly asking: AskingAssistant;
}

function Question({ request, asking }: QuestionProps): ReactNode {
  const { user, organization, permissions: own } = useSession();
  const { networks } = useNetworkScope();
  const organizations = useOrganizations();
  const [isLeaving, setLeaving] = useState(false);
  const allow = useWrite(letAssistantIn);
  const wanted = asking.permissions ?? "Viewer";
  const form = useForm<{ permissions: Permission; reach: string; network_ids: string[] }>({
    initialValues: { permissions: isAtLeast(own, wanted) ? wanted : own, reach: "all", network_ids: [] },
  });
  const leave = (to: string): void => {
    setLeaving(true);
    window.location.assign(to);
  };
  const submit = form.onSubmit(({ permissions, reach, network_ids }) => {
    const body = { request, permissions, network_ids: reach === "all" ? null : network_ids };
    allow.mutate({ body }, { onSuccess: ({ redirect_to }) => leave(redirect_to) });
  });
  if (isLeaving)
    return (
      <Alert color="teal" role="status">
        You are sent back to the assistant. If nothing happens there, close this window and start again in the
        assistant.
      </Alert>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {allow.error !== null && (
          <Alert color="red" role="alert">
            {refusalOf(allow.error)}
          </Alert>
        )}
        <Text>
          Let <strong>{asking.name}</strong> act for <strong>{user.email}</strong>?
        </Text>
        <dl className={classes.facts}>
          <dt>Returns to</dt>
          <dd>{asking.is_local ? "A program on this computer" : asking.returns_to}</dd>
          <dt>Registered</dt>
          <dd>
            <When at={asking.registered_at} />
          </dd>
          {organizations.length < 2 && (
            <>
              <dt>Organization</dt>
              <dd>{organization.name}</dd>
            </>
          )}
        </dl>
        {organizations.length > 1 && <OrganizationField organizations={organizations} />}
        <Select
          label="Role"
          description="Never more than your own"
          allowDeselect={false}
          data={PERMISSIONS.filter((level) => isAtLeast(own, level)).map((level) => ({
            value: level,
            label: LEVELS[level],
          }))}
          {...form.getInputProps("permissions")}
        />
        <Radio.Group label="Networks" {...form.getInputProps("reach")}>
          <Stack gap="xs" mt="xs">
            <Radio value="all" label="All networks that I can access, including future ones" />
            <Radio value="some" label="Selected networks" />
          </Stack>
        </Radio.Group>
        {form.getValues().reach === "some" && (
          <MultiSelect
            aria-label="Networks of the assistant"
            searchable
            data={networks.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps("network_ids")}
          />
        )}
        <Alert color="yellow">
          Only allow what you have started yourself just now: anybody can choose this name. You can end the access in
          Settings.
        </Alert>
        <Group>
          <Button type="submit" loading={allow.isPending}>
            Allow
          </Button>
          <Button variant="default" disabled={allow.isPending} onClick={() => leave(asking.refuse_to)}>
            Deny
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** For those who are in several: the assistant acts in the one that the session acts in. */
function OrganizationField({ organizations }: { readonly organizations: readonly Membership[] }): ReactNode {
  const { organization } = useSession();
  const actIn = useActIn(null);
  return (
    <Select
      label="Organization"
      allowDeselect={false}
      data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
      value={organization.id}
      onChange={(id) => {
        if (id !== null && id !== organization.id) void actIn(id);
      }}
    />
  );
}
