import { Button, Checkbox, Menu, MultiSelect, Popover, TextInput } from "@mantine/core";
import type { Category, TopologyFormat } from "@nts/shared/contract";
import { Download, History, ListFilter, Search } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { vlanText } from "../links/vlan-text.js";
import { withDetail } from "../parts/detail.js";
import { categoryText } from "../parts/texts.js";
import type { KnownTags } from "../tags/tags.js";
import type { Format } from "./files.js";
import { countOf, type Filters, isFiltering, NO_FILTERS } from "./filters.js";
import type { Model } from "./model.js";
import classes from "./map.module.css";

interface ToolbarProps {
  readonly model: Model;
  readonly networkId: string | null;
  readonly tags: KnownTags;
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly filters: Filters;
  readonly onFilter: (filters: Filters) => void;
  /** The selected time; null for the present. */
  readonly at: string | null;
  readonly isLookingBack: boolean;
  readonly onLookBack: () => void;
  readonly onExport: (format: Format, extent: Extent) => void;
  /** Something is selected or found. */
  readonly hasLifted: boolean;
  /** The menu of saved views. */
  readonly views: ReactNode;
}

/** How much of the map a picture shows. */
export type Extent = "whole" | "visible" | "lifted";

const EXTENTS: readonly { readonly extent: Extent; readonly label: string }[] = [
  { extent: "whole", label: "Whole map" },
  { extent: "visible", label: "What is in view" },
  { extent: "lifted", label: "What is selected or found" },
];

const IMAGES: readonly { readonly format: Format; readonly label: string }[] = [
  { format: "svg", label: "SVG" },
  { format: "png", label: "PNG" },
  { format: "drawio", label: "draw.io" },
];

const FILES: readonly { readonly format: TopologyFormat; readonly label: string }[] = [
  { format: "dot", label: "Graphviz (DOT)" },
  { format: "graphml", label: "GraphML" },
  { format: "mermaid", label: "Mermaid" },
];

/** Search, filters and export of the map. */
export function Toolbar(props: ToolbarProps): ReactNode {
  const { search, isLookingBack, onLookBack, onSearch } = props;
  return (
    <div className={classes.toolbar}>
      <TextInput
        className={classes.search}
        type="search"
        aria-label="Search"
        placeholder="Name, address or :port"
        maxLength={100}
        leftSection={<Search size={16} aria-hidden />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <FilterChoice {...props} />
      <Button
        variant={isLookingBack ? "light" : "default"}
        aria-expanded={isLookingBack}
        leftSection={<History size={16} aria-hidden />}
        onClick={onLookBack}
      >
        Look back
      </Button>
      {props.views}
      <ExportMenu {...props} />
    </div>
  );
}

/** Exports the current view, or a part of it, as an image, or the whole graph as a file. */
function ExportMenu({ networkId, at, onExport, hasLifted }: ToolbarProps): ReactNode {
  const [chosen, setChosen] = useState<Extent>("whole");
  const extent = chosen === "lifted" && !hasLifted ? "whole" : chosen;
  const scope = new URLSearchParams({
    ...(networkId !== null && { network_id: networkId }),
    ...(at !== null && { as_of: at }),
  });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Picture of</Menu.Label>
        <Menu.RadioGroup value={extent} onChange={(value) => setChosen(value as Extent)}>
          {EXTENTS.filter((one) => one.extent !== "lifted" || hasLifted).map((one) => (
            <Menu.RadioItem key={one.extent} value={one.extent} closeMenuOnClick={false}>
              {one.label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Label>As</Menu.Label>
        {IMAGES.map(({ format, label }) => (
          <Menu.Item key={format} onClick={() => onExport(format, extent)}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={printSoon}>Print or PDF</Menu.Item>
        <Menu.Label>Full graph</Menu.Label>
        {FILES.map(({ format, label }) => (
          <Menu.Item
            key={format}
            component="a"
            href={`/api/v1/topology?${new URLSearchParams([["format", format], ...scope]).toString()}`}
            download
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** After the menu has closed, because printing blocks the browser. */
function printSoon(): void {
  setTimeout(() => window.print());
}

function FilterChoice({ model, tags: known, filters, onFilter }: ToolbarProps): ReactNode {
  const { tags, categories, vlans, hasHidden } = useMemo(() => choicesIn(model), [model]);
  const count = countOf(filters);
  return (
    <Popover position="bottom-end" width={320} trapFocus withinPortal shadow="md">
      <Popover.Target>
        <Button variant="default" leftSection={<ListFilter size={16} aria-hidden />}>
          {count === 0 ? "Filter" : `Filter (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.filters}>
        <Choices
          label="Subnets"
          value={filters.subnets}
          data={model.subnets.map(({ id, label, cidr }) => ({ value: id, label: withDetail(label, cidr) }))}
          onChange={(subnets) => onFilter({ ...filters, subnets })}
        />
        {(vlans.length > 0 || filters.vlans.length > 0) && (
          <Choices
            label="VLANs"
            value={filters.vlans}
            data={vlans}
            onChange={(chosen) => onFilter({ ...filters, vlans: chosen })}
          />
        )}
        <Choices
          label="Service categories"
          value={filters.categories}
          data={categories.map((one) => ({ value: one, label: categoryText(one) }))}
          onChange={(chosen) => onFilter({ ...filters, categories: chosen })}
        />
        <Choices
          label="Tags"
          value={filters.tags}
          data={tags.map((tag) => ({ value: tag, label: known.nameOf(tag) }))}
          onChange={(chosen) => onFilter({ ...filters, tags: chosen })}
        />
        {hasHidden && (
          <Checkbox
            label="Show hidden hosts"
            checked={filters.withHidden}
            onChange={(event) => onFilter({ ...filters, withHidden: event.currentTarget.checked })}
          />
        )}
        <Button variant="subtle" size="xs" onClick={() => onFilter(NO_FILTERS)} disabled={!isFiltering(filters)}>
          Clear filters
        </Button>
      </Popover.Dropdown>
    </Popover>
  );
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly value: readonly Value[];
  readonly data: readonly { readonly value: Value; readonly label: string }[];
  readonly onChange: (value: Value[]) => void;
}

function Choices<Value extends string>({ label, value, data, onChange }: ChoicesProps<Value>): ReactNode {
  return (
    <MultiSelect
      label={label}
      clearButtonProps={{ "aria-label": `Clear: ${label}` }}
      searchable
      openOnFocus={false}
      clearable
      comboboxProps={{ withinPortal: false }}
      value={[...value]}
      data={data}
      onChange={onChange}
    />
  );
}

interface FilterChoices {
  readonly tags: readonly string[];
  readonly categories: readonly Category[];
  /** Those that subnets are in, by number. */
  readonly vlans: readonly { readonly value: string; readonly label: string }[];
  readonly hasHidden: boolean;
}

function choicesIn({ topology }: Model): FilterChoices {
  const vlans = new Map<string, { vid: number; name: string }>();
  const tags = new Set<string>();
  const categories = new Set<Category>();
  let hasHidden = false;
  for (const node of topology.nodes) {
    for (const tag of node.tags) tags.add(tag);
    if (node.kind === "subnet" && node.vlan !== null) vlans.set(node.vlan.id, node.vlan);
    if (node.kind === "service") categories.add(node.category);
    if (node.kind === "host" && node.hidden) hasHidden = true;
  }
  const byNumber = [...vlans].sort(([, a], [, b]) => a.vid - b.vid);
  return {
    tags: [...tags].sort(),
    categories: [...categories].sort(),
    vlans: byNumber.map(([value, vlan]) => ({ value, label: vlanText(vlan) })),
    hasHidden,
  };
}
