import { Combobox, Modal, TextInput, useCombobox, VisuallyHidden } from "@mantine/core";
import { Search } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useNavigate } from "react-router";
import { describeFailure } from "../api/failure.js";
import { useReturnFocus } from "../forms/use-return-focus.js";
import type { EditorName } from "./editors.js";
import { matching, type Section } from "./entries.js";
import classes from "./palette.module.css";
import { useCommands } from "./use-commands.js";
import { useFound } from "./use-found.js";

interface PaletteProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onClose: () => void;
  readonly onEdit: (name: EditorName, hostId?: string) => void;
}

/** Command palette: finds pages, actions and entities by name. */
export default function Palette({ text, onText, onClose, onEdit }: PaletteProps): ReactNode {
  const navigate = useNavigate();
  const go = (path: string): void => void navigate(path);
  const commands = useCommands(go, onEdit);
  const found = useFound(text, go);
  const store = useCombobox({ opened: true, onDropdownClose: onClose });
  useReturnFocus();

  const own = commands.map(({ label, entries }) => ({ label, entries: matching(entries, text) }));
  const sections = [...own, ...found.sections].filter(({ entries }) => entries.length > 0);
  const runs = new Map<string, () => void>(
    sections.flatMap(({ label, entries }) => entries.map(({ id, run }) => [`${label} ${id}`, run] as const)),
  );
  const [first] = runs.keys();

  const { selectFirstOption } = store;
  useEffect(() => {
    selectFirstOption();
    // late results must not move the highlighted entry
  }, [text, first, selectFirstOption]);

  function choose(id: string): void {
    onClose();
    runs.get(id)?.();
  }

  return (
    <Modal.Root
      opened
      onClose={onClose}
      centered={false}
      yOffset="10dvh"
      size="lg"
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search and commands" radius="lg">
        <Combobox store={store} onOptionSubmit={choose}>
          <Combobox.EventsTarget withExpandedAttribute>
            <TextInput
              data-autofocus
              size="lg"
              variant="unstyled"
              className={classes.field ?? ""}
              aria-label="Search and commands"
              aria-autocomplete="list"
              placeholder="Name, address:port or command"
              maxLength={100}
              leftSection={<Search size={18} aria-hidden />}
              value={text}
              onChange={({ currentTarget }) => onText(currentTarget.value)}
            />
          </Combobox.EventsTarget>
          <Combobox.Options className={classes.options} aria-label="Results" tabIndex={0} aria-busy={found.isLoading}>
            {sections.map((section) => (
              <SectionGroup key={section.label} {...section} />
            ))}
          </Combobox.Options>
          <Said count={runs.size} isLoading={found.isLoading} error={found.error} />
        </Combobox>
      </Modal.Content>
    </Modal.Root>
  );
}

function SectionGroup({ label, entries }: Section): ReactNode {
  return (
    <Combobox.Group label={label}>
      {entries.map(({ id, label: name, detail }) => (
        <Combobox.Option key={id} value={`${label} ${id}`} className={classes.option}>
          <span className={classes.name}>{name}</span>
          <span className={classes.detail}>{detail}</span>
        </Combobox.Option>
      ))}
    </Combobox.Group>
  );
}

function Said({
  count,
  isLoading,
  error,
}: {
  readonly count: number;
  readonly isLoading: boolean;
  readonly error: Error | null;
}): ReactNode {
  if (error !== null)
    return (
      <p className={classes.said} role="alert">
        {describeFailure(error).title}
      </p>
    );
  if (isLoading)
    return (
      <p className={classes.said} role="status">
        Searching …
      </p>
    );
  if (count === 0)
    return (
      <p className={classes.said} role="status">
        No results.
      </p>
    );
  return <VisuallyHidden role="status">{count === 1 ? "1 result" : `${count} results`}</VisuallyHidden>;
}
