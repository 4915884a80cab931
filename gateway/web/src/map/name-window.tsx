import { Radio, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { FormWindow } from "../forms/form-window.js";
import { useNetworkScope } from "../scope/networks.js";
import type { SavedViews } from "./use-saved-views.js";

interface NameWindowProps {
  readonly views: SavedViews;
  readonly isNew: boolean;
  /** What the view was saved for; it is then named after what it shows. */
  readonly onSaved?: (() => void) | undefined;
  readonly onClose: () => void;
}

/** For a new view, or a new name of the present one. */
export default function NameWindow({ views, isNew, onSaved, onClose }: NameWindowProps): ReactNode {
  const { networkId, nameOf } = useNetworkScope();
  const shownName = networkId === null ? "All networks" : nameOf(networkId);
  const newName = onSaved === undefined ? "" : shownName;
  const initialValues = {
    name: isNew ? newName : (views.current?.name ?? ""),
    reach: networkId === null ? "all" : "one",
  };
  const form = useForm({ initialValues });
  return (
    <FormWindow
      title={onSaved !== undefined ? "Save the view to share it" : isNew ? "Save as a new view" : "Rename the view"}
      form={form}
      onClose={onClose}
      done={isNew ? "The view is saved." : "The view is renamed."}
      submit={async ({ name, reach }) => {
        if (!isNew) return views.rename(name);
        await views.saveAs(name, reach === "one" ? networkId : null);
        onSaved?.();
      }}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps("name")} />
      {isNew && networkId !== null && (
        <Radio.Group label="Shown with" {...form.getInputProps("reach")}>
          <Stack gap="xs" mt="xs">
            <Radio value="one" label={`The network ${nameOf(networkId)}`} />
            <Radio value="all" label="All networks" />
          </Stack>
        </Radio.Group>
      )}
    </FormWindow>
  );
}
