import { type UseFormReturnType, useForm } from "@mantine/form";
import type { Input } from "@nts/shared/client";
import type { BodyInputOf, DataOf, Endpoint } from "@nts/shared/contract";
import type { ReactNode } from "react";
import { attributesFault, type AttributeRow } from "./attributes.js";
import { type Edited, ForEditing } from "./for-editing.js";
import { FormWindow } from "./form-window.js";

/** Properties of all editors. */
export interface EditorProps {
  /** Null for a new entity. */
  readonly id: string | null;
  readonly onClose: () => void;
}

interface Operations<Read extends Endpoint, Create extends Endpoint, Update extends Endpoint> {
  readonly read: Read;
  readonly create: Create;
  readonly update: Update;
}

interface EntityEditorProps<
  Read extends Endpoint,
  Create extends Endpoint,
  Update extends Endpoint,
  Values extends Record<string, unknown>,
> extends EditorProps {
  /** Such as `subnet`. */
  readonly noun: string;
  readonly operations: Operations<Read, Create, Update>;
  /** Initial values. */
  readonly valuesOf: (entity: DataOf<Read> | undefined) => Values;
  /** The request body, for creates and updates alike. */
  readonly bodyOf: (values: Values) => BodyInputOf<Create> & BodyInputOf<Update>;
  readonly children: (form: UseFormReturnType<Values>, entity: DataOf<Read> | undefined) => ReactNode;
}

/** A window to create or update an entity, with the same body for both. */
export function EntityEditor<
  Read extends Endpoint,
  Create extends Endpoint,
  Update extends Endpoint,
  Values extends Record<string, unknown>,
>(props: EntityEditorProps<Read, Create, Update, Values>): ReactNode {
  const { id, noun, operations, onClose } = props;
  if (id === null) return <EntityForm {...props} edited={null} />;
  return (
    <ForEditing operation={operations.read} id={id} title={`Edit ${noun}`} onClose={onClose}>
      {(edited) => <EntityForm {...props} edited={edited} />}
    </ForEditing>
  );
}

function EntityForm<
  Read extends Endpoint,
  Create extends Endpoint,
  Update extends Endpoint,
  Values extends Record<string, unknown>,
>(
  props: EntityEditorProps<Read, Create, Update, Values> & { readonly edited: Edited<DataOf<Read>> | null },
): ReactNode {
  const { id, edited, noun, operations, onClose, valuesOf, bodyOf, children } = props;
  const form = useForm({ initialValues: valuesOf(edited?.entity), validate: attributesFaults });
  return (
    <FormWindow
      title={edited === null ? `New ${noun}` : `Edit ${noun}`}
      form={form}
      onClose={onClose}
      onReload={edited?.reload}
      verb={edited === null ? "Create" : "Save"}
      done={edited === null ? `${noun.charAt(0).toUpperCase()}${noun.slice(1)} created.` : "Saved."}
      reviews={operations.update.plans === true}
      submit={(values, send) => {
        const body = bodyOf(values);
        return edited === null
          ? send(operations.create, asInput({ body }))
          : send(operations.update, asInput({ params: { id }, body, ...edited.ifMatch }));
      }}
    >
      {children(form, edited?.entity)}
    </FormWindow>
  );
}

/** Faults of the attributes, if the entity has any. */
function attributesFaults(values: Record<string, unknown>): Record<string, ReactNode> {
  return "attributes" in values ? { attributes: attributesFault(values["attributes"] as AttributeRow[]) } : {};
}

/** TypeScript cannot relate body and operation here; `bodyOf` returns the right type. */
function asInput<E extends Endpoint>(input: object): Input<E> {
  return input as unknown as Input<E>;
}
