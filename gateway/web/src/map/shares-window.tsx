import { Button, Checkbox, Group, Modal, Select, Stack, TagsInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { shareView, deleteShare, listShares, type Share } from "@nts/shared/contract";
import { type ReactNode, useState } from "react";
import { useRows, useSend } from "../api/queries.js";
import { FormWindow } from "../forms/form-window.js";
import { FailureState } from "../parts/failure-state.js";
import { notifyFailure } from "../parts/toast.js";
import { SecretWindow } from "../parts/secret-window.js";
import { useNow } from "../parts/now.js";
import { Waiting } from "../parts/waiting.js";
import { When } from "../parts/when.js";
import { useNetworkScope } from "../scope/networks.js";
import type { SavedView } from "./saved-view.js";
import classes from "./map.module.css";

interface SharesWindowProps {
  readonly view: SavedView;
  /** The view has changes that nobody with a link sees. */
  readonly isChanged: boolean;
  /** The past moment that the map shows; null for the present. */
  readonly at: string | null;
  readonly onClose: () => void;
}

type Shown = "list" | "new" | { readonly link: string };

/** The links to a view: makes and ends them. Without one, it begins with the form for the first. */
export function SharesWindow(props: SharesWindowProps): ReactNode {
  const links = useLinks(props.view).data?.data;
  const [chosen, setShown] = useState<Shown | null>(null);
  // decided once, because the first link is there before its form is left
  if (chosen === null && links !== undefined) setShown(links.length === 0 ? "new" : "list");
  const shown = chosen ?? "list";
  const back = (): void => setShown("list");
  if (shown === "new") return <NewShare {...props} onClose={back} onCreated={(link) => setShown({ link })} />;
  if (shown === "list") return <SharesList {...props} onNew={() => setShown("new")} />;
  return (
    <SecretWindow
      title={`Link to ${props.view.name}`}
      label="Link"
      secret={shown.link}
      warning="Whoever has it sees the view until it ends, without signing in."
      onClose={back}
    />
  );
}

const useLinks = ({ id }: SavedView) => useRows(listShares, { query: { view_id: id, limit: 200 } });

function SharesList({
  view,
  isChanged,
  onClose,
  onNew,
}: SharesWindowProps & { readonly onNew: () => void }): ReactNode {
  const { data, error, refetch } = useLinks(view);
  const send = useSend();
  const [ending, setEnding] = useState<string | null>(null);
  const end = (id: string): void => void send(deleteShare, { params: { id } }).catch(notifyFailure);
  return (
    <Modal opened onClose={onClose} title={`Share ${view.name}`} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <Text size="sm">
          A link shows this view of one network to people without an account: they can move and zoom, and change
          nothing.
          {isChanged && " Your unsaved changes are not shown."}
        </Text>
        {error !== null && data === undefined && <FailureState error={error} onRetry={() => void refetch()} />}
        {error === null && data === undefined && <Waiting />}
        {data?.data.length === 0 && <Text c="dimmed">There are no links yet.</Text>}
        <ul className={classes.shares}>
          {data?.data.map((share) => (
            <li key={share.id}>
              <div>
                <div>
                  <Ends share={share} />
                </div>
                <div className={classes.minor}>{detailsOf(share)}</div>
                <div className={classes.minor}>
                  Last used: <When at={share.last_used} />, {share.uses.toLocaleString("en")}{" "}
                  {share.uses === 1 ? "request" : "requests"}
                </div>
              </div>
              {ending === share.id ? (
                <Group gap="xs" wrap="nowrap">
                  <Button variant="default" size="xs" onClick={() => setEnding(null)} data-autofocus>
                    Keep
                  </Button>
                  <Button color="red" size="xs" onClick={() => end(share.id)}>
                    End for good
                  </Button>
                </Group>
              ) : (
                <Button variant="default" size="xs" onClick={() => setEnding(share.id)}>
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button onClick={onNew} data-autofocus>
            New link
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Ends({ share: { ends_at } }: { readonly share: Share }): ReactNode {
  const now = useNow();
  if (ends_at === null) return "Does not expire";
  return (
    <>
      {Date.parse(ends_at) <= now ? "Expired" : "Expires"} <When at={ends_at} />
    </>
  );
}

const HIDDEN: Readonly<Record<Share["hide"][number], string>> = {
  addresses: "without IP addresses",
  macs: "without MAC addresses",
};

function detailsOf({ hide, as_of, allow_embedding }: Share): string {
  const parts = [
    as_of === null ? "The present network" : `The network of ${new Date(as_of).toLocaleString()}`,
    ...hide.map((part) => HIDDEN[part]),
    ...(allow_embedding.length === 0 ? [] : [`in pages of ${allow_embedding.join(", ")}`]),
  ];
  return parts.join(", ");
}

const DAY_MS = 86_400_000;
const ENDS = [
  { value: "1", label: "In a day" },
  { value: "7", label: "In a week" },
  { value: "30", label: "In a month" },
  { value: "365", label: "In a year" },
  { value: "never", label: "Never" },
] as const;

interface NewShareProps extends SharesWindowProps {
  readonly onCreated: (link: string) => void;
}

function NewShare({ view, at, onClose, onCreated }: NewShareProps): ReactNode {
  const { networks, networkId } = useNetworkScope();
  const initialValues = {
    ends: "30",
    network_id: view.network_id ?? networkId ?? networks[0]?.id ?? null,
    allow_embedding: [] as string[],
    addresses: false,
    macs: true,
    isFrozen: at !== null,
  };
  const form = useForm({ initialValues });
  return (
    <FormWindow
      title={`New link to ${view.name}`}
      form={form}
      onClose={onClose}
      stays
      verb="Create link"
      fieldOf={(path) => (path === "expires_at" ? "ends" : path)}
      submit={async ({ ends, network_id, allow_embedding, addresses, macs, isFrozen }, send) => {
        const expires_at = ends === "never" ? null : new Date(Date.now() + Number(ends) * DAY_MS).toISOString();
        const body = {
          ...{ expires_at, allow_embedding },
          hide: [...(addresses ? (["addresses"] as const) : []), ...(macs ? (["macs"] as const) : [])],
          as_of: isFrozen ? (at ?? new Date().toISOString()) : null,
          ...(view.network_id === null && network_id !== null && { network_id }),
        };
        onCreated((await send(shareView, { params: { id: view.id }, body })).link);
      }}
    >
      <Select label="Expires" allowDeselect={false} data={ENDS} data-autofocus {...form.getInputProps("ends")} />
      {view.network_id === null && (
        <Select
          label="Network"
          description="A link shows one network"
          required
          allowDeselect={false}
          searchable
          data={networks.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps("network_id")}
        />
      )}
      <Checkbox
        label="Leave out IP addresses, also in names"
        {...form.getInputProps("addresses", { type: "checkbox" })}
      />
      <Checkbox label="Leave out MAC addresses" {...form.getInputProps("macs", { type: "checkbox" })} />
      <Checkbox
        label={
          at === null ? "Freeze: always show the network as it is now" : "Freeze: show the network at the chosen time"
        }
        {...form.getInputProps("isFrozen", { type: "checkbox" })}
      />
      <TagsInput
        label="Pages that may contain it"
        description="Origins such as https://wiki.example.com; leave empty to allow none"
        {...form.getInputProps("allow_embedding")}
        error={Object.entries(form.errors).find(([path]) => path.startsWith("allow_embedding"))?.[1]}
      />
    </FormWindow>
  );
}
