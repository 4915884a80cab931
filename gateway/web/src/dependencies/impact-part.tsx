import { Anchor } from "@mantine/core";
import { getHostImpact, getServiceImpact, type ImpactDirection, type Reached } from "@nts/shared/contract";
import { waysTo } from "@nts/shared/contract/impact.rules";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useOne } from "../api/queries.js";
import { type Column, DataTable } from "../list/data-table.js";
import { ListPart, PartRemark } from "../parts/part.js";
import { dependencyPath, hostPath, servicePath } from "../paths.js";

const SHOWN = 50;

interface ImpactPartProps {
  readonly of: { readonly kind: "host" | "service"; readonly id: string };
}

/** What stops if a host or service stops, and what it needs, at any distance. */
export function ImpactPart({ of }: ImpactPartProps): ReactNode {
  return (
    <>
      <Direction of={of} direction="dependents" title="Stops with it" none="Nothing else, as far as is known." />
      <Direction of={of} direction="dependencies" title="Needs" none="Nothing else, as far as is known." />
    </>
  );
}

interface DirectionProps extends ImpactPartProps {
  readonly direction: ImpactDirection;
  readonly title: string;
  readonly none: string;
}

function Direction({ of: { kind, id }, direction, title, none }: DirectionProps): ReactNode {
  const operation = kind === "host" ? getHostImpact : getServiceImpact;
  const impact = useOne(operation, { params: { id }, query: { direction, limit: SHOWN } }).data?.data;
  if (impact === undefined) return null;
  const { hosts, services, processes } = impact.counts;
  const total = hosts + services + processes;
  return (
    <ListPart title={title} count={total} none={none}>
      <DataTable
        label={title}
        columns={columnsOf(impact.reached)}
        rows={impact.reached}
        idOf={({ id: one, name, kind: what }) => `${what} ${one} ${name}`}
        nameOf={({ name }) => name}
      />
      {total > impact.reached.length && (
        <PartRemark>
          The nearest {impact.reached.length} of {impact.complete ? "" : "at least "}
          {total.toLocaleString("en")}.
        </PartRemark>
      )}
    </ListPart>
  );
}

const VIA: Readonly<Record<Reached["via"], string>> = {
  dependency: "dependency",
  runs_on: "on the host",
  virtualization: "runs there",
  link: "linked through it",
};

function columnsOf(reached: readonly Reached[]): readonly Column<Reached>[] {
  return [
    {
      id: "name",
      label: "Name",
      cell: ({ kind, id, name, host_id }) => (
        <Anchor component={Link} to={kind === "service" ? servicePath(id) : hostPath(host_id)} size="sm" fw={600}>
          {name}
        </Anchor>
      ),
    },
    { id: "kind", label: "Kind", narrow: true, cell: ({ kind }) => kind },
    { id: "host", label: "Host", cell: ({ kind, host_name }) => kind !== "host" && host_name },
    {
      id: "via",
      label: "Last step",
      cell: ({ via, dependency_id }) =>
        dependency_id === null ? (
          VIA[via]
        ) : (
          <Anchor component={Link} to={dependencyPath(dependency_id)} size="sm">
            {VIA[via]}
          </Anchor>
        ),
    },
    { id: "through", label: "Through", cell: waysTo(reached) },
    { id: "distance", label: "Steps", numbers: true, narrow: true, cell: ({ distance }) => distance },
  ];
}
