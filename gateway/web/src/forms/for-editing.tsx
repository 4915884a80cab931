import { Modal } from "@mantine/core";
import type { Input } from "@nts/shared/client";
import type { DataOf, Endpoint } from "@nts/shared/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../api/client.js";
import type { Revised } from "../api/queries.js";
import { FailureState } from "../parts/failure-state.js";
import { Waiting } from "../parts/waiting.js";
import { useReturnFocus } from "./use-return-focus.js";

interface ForEditingProps<E extends Endpoint> {
  /** The operation that reads the entity. */
  readonly operation: E;
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (edited: Edited<DataOf<E>>) => ReactNode;
}

/** The open editor of a page: none, for an entity, or, with a null id, for a new one. */
export type OpenEditor = { readonly id: string | null } | null;

export interface Edited<Data> {
  readonly entity: Data;
  /** The revision being edited, sent with the update. */
  readonly ifMatch: { readonly ifMatch?: string };
  readonly reload: () => void;
}

/** Reads an entity for editing; the update is conditional on the revision that the user has seen. */
export function ForEditing<E extends Endpoint>(props: ForEditingProps<E>): ReactNode {
  const { operation, id, title, onClose, children } = props;
  useReturnFocus();
  const [attempt, setAttempt] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: ["edited", operation.operationId, id, attempt],
    queryFn: ({ signal }) => api.read(operation, { params: { id }, signal } as unknown as Input<E>),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (data === undefined)
    return (
      <Modal opened onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
        {error === null ? <Waiting /> : <FailureState error={error} onRetry={() => void refetch()} />}
      </Modal>
    );
  return (
    <Held key={attempt} revised={data} reload={() => setAttempt(attempt + 1)}>
      {children}
    </Held>
  );
}

interface HeldProps<Data> {
  readonly revised: Revised<Data>;
  readonly reload: () => void;
  readonly children: (edited: Edited<Data>) => ReactNode;
}

function Held<Data>({ revised, reload, children }: HeldProps<Data>): ReactNode {
  const [{ data: entity, etag }] = useState(revised);
  return children({ entity, ifMatch: etag === null ? {} : { ifMatch: etag }, reload });
}
