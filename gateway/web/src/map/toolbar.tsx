import { Button, Menu, Popover, TextInput } from "@mantine/core";
import type { TopologyFormat } from "@nts/shared/contract";
import { Download, History, ListFilter, Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { notifyFailure } from "../parts/toast.js";
import type { FilterFields, FilterProps } from "./filter-fields.js";
import type { Format } from "./files.js";
import { countOf } from "./filters.js";
import classes from "./map.module.css";

interface ToolbarProps extends FilterProps {
  readonly networkId: string | null;
  readonly search: string;
  readonly onSearch: (search: string) => void;
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
        placeholder="Name, address, :port"
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

/** The filters, whose fields are loaded when somebody is about to open them. */
function FilterChoice({ model, tags, filters, onFilter }: ToolbarProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [Fields, setFields] = useState<typeof FilterFields | null>(null);
  const load = (): void =>
    void import("./filter-fields.js").then((file) => setFields(() => file.FilterFields), notifyFailure);
  const count = countOf(filters);
  return (
    <Popover
      opened={isOpen && Fields !== null}
      onChange={setOpen}
      position="bottom-end"
      width={320}
      trapFocus
      withinPortal
      shadow="md"
    >
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<ListFilter size={16} aria-hidden />}
          onPointerEnter={load}
          onFocus={load}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? "Filter" : `Filter (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.filters}>
        {Fields !== null && <Fields {...{ model, tags, filters, onFilter }} />}
      </Popover.Dropdown>
    </Popover>
  );
}
