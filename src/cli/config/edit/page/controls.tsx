import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ShownField } from '../page-data.ts'

export function FieldControl(props: ControlProps) {
  const { rule } = props.field
  if (rule.type === 'text-list') return <ListControl {...props} />
  if (rule.type === 'header-map') return <HeadersControl {...props} />
  if (typeof props.value === 'object' && props.value !== null)
    return <p id={props.id}>This is not a simple value: change it in the text of the document, or remove it.</p>
  if (rule.type === 'boolean') return <ChoiceControl {...props} choices={[true, false]} />
  if (rule.type === 'number' && rule.constant !== undefined)
    return <ChoiceControl {...props} choices={[rule.constant]} />
  if (rule.type === 'text' && rule.choices) return <ChoiceControl {...props} choices={rule.choices} />
  return <TextControl {...props} />
}

/** A control for the value of one field. */
interface ControlProps {
  readonly field: ShownField
  /** The value as it is written; `undefined` if it is not set. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly id: string
  readonly describedBy: string
  readonly isInvalid: boolean
  readonly isDisabled: boolean
}

function TextControl(props: ControlProps) {
  const { field, value, onChange } = props
  const [isShown, setShown] = useState(false)
  const isNumber = field.rule.type === 'integer' || field.rule.type === 'number'
  const change = (text: string) => {
    if (text === '') return onChange(undefined)
    const number = Number(text)
    onChange(isNumber && /^-?\d+(\.\d+)?$/.test(text) && String(number) === text ? number : text)
  }
  const attributes = {
    ...toAttributes(props),
    class: 'mono',
    inputMode: isNumber ? 'numeric' : 'text',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: false,
    value: value === undefined ? '' : String(value),
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => change(currentTarget.value),
  } as const
  return (
    <>
      {field.isSecret && !isShown ? <input type="password" {...attributes} /> : <input type="text" {...attributes} />}
      {field.isSecret && (
        <button type="button" class="small" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide the value' : 'Show the value'}
        </button>
      )}
      {field.path === 'expiresAt' && typeof value === 'number' && <p>{describeTime(value)}</p>}
    </>
  )
}

/** Describes a time in UTC; numbers below 1e12 are seconds, as everywhere. */
function describeTime(value: number): string {
  const time = new Date(value >= 1e12 ? value : value * 1000)
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function ListControl(props: ControlProps) {
  const { field, value, onChange, id } = props
  if (value !== undefined && !Array.isArray(value)) return <TextControl {...props} />
  const items: readonly unknown[] = value ?? []
  const change = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next)
  return (
    <Rows
      props={props}
      what="item"
      rows={items}
      onRemove={(at) => change(items.toSpliced(at, 1))}
      onAdd={() => change([...items, ''])}
    >
      {(item, at) => (
        <input
          {...toRowAttributes(props)}
          id={at === 0 ? id : undefined}
          aria-label={`${toName(field.path)}, item ${at + 1} of ${items.length}`}
          value={toText(item)}
          onInput={({ currentTarget }) => change(items.with(at, currentTarget.value))}
        />
      )}
    </Rows>
  )
}

type HeaderRows = readonly (readonly [name: string, value: unknown])[]

function HeadersControl(props: ControlProps) {
  const { value, onChange, id } = props
  const [rows, setRows] = useState<HeaderRows>(toRows(value))
  // The text may have changed elsewhere; a row without a name is only in the page.
  useEffect(() => {
    if (JSON.stringify(toHeaders(rows)) !== JSON.stringify(value)) setRows(toRows(value))
  }, [value])
  if (value !== undefined && (typeof value !== 'object' || value === null)) return <TextControl {...props} />
  const change = (next: HeaderRows) => {
    setRows(next)
    onChange(toHeaders(next))
  }
  return (
    <Rows
      props={props}
      what="header"
      rows={rows}
      onRemove={(at) => change(rows.toSpliced(at, 1))}
      onAdd={() => setRows([...rows, ['', '']])}
    >
      {([name, content], at) => (
        <>
          <input
            {...toRowAttributes(props)}
            id={at === 0 ? id : undefined}
            aria-label={`Header ${at + 1}: name`}
            placeholder="name"
            value={name}
            onInput={({ currentTarget }) => change(rows.with(at, [currentTarget.value, content]))}
          />
          <input
            {...toRowAttributes(props)}
            aria-label={`Header ${at + 1}: value`}
            placeholder="value"
            value={toText(content)}
            onInput={({ currentTarget }) => change(rows.with(at, [name, currentTarget.value]))}
          />
        </>
      )}
    </Rows>
  )
}

interface RowsProps<T> {
  /** The properties of the control that the rows belong to. */
  readonly props: ControlProps
  /** The name of one row on its buttons. */
  readonly what: 'item' | 'header'
  readonly rows: readonly T[]
  readonly onRemove: (at: number) => void
  readonly onAdd: () => void
  /** Renders the inputs of a row, of which the first row's first has the id of the control. */
  readonly children: (row: T, at: number) => ComponentChildren
}

function ChoiceControl(props: ControlProps & { readonly choices: readonly (string | number | boolean)[] }) {
  const { choices, value, onChange } = props
  const isOther = value !== undefined && !choices.some((choice) => choice === value)
  const index = (choices as readonly unknown[]).indexOf(value) // of any type, and one of the choices if it is found
  return (
    <select
      {...toAttributes(props)}
      value={isOther ? 'other' : String(index)}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)])}
    >
      <option value="-1">not set</option>
      {choices.map((choice, at) => (
        <option key={String(choice)} value={String(at)}>
          {String(choice)}
        </option>
      ))}
      {isOther && (
        <option value="other" disabled>
          {JSON.stringify(value)} (not a choice)
        </option>
      )}
    </select>
  )
}

function toAttributes({ id, describedBy, isInvalid, isDisabled }: ControlProps) {
  return { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid, disabled: isDisabled }
}

/** Rows of inputs, each with a button that removes it, and below them one that adds a row. */
function Rows<T>({ props, what, rows, onRemove, onAdd, children }: RowsProps<T>) {
  const { id, describedBy, isDisabled } = props
  return (
    <fieldset class="rows" aria-labelledby={`${id}-name`} aria-describedby={describedBy}>
      {rows.map((row, at) => (
        <div key={at}>
          {children(row, at)}
          <button
            type="button"
            aria-label={`Remove ${what} ${at + 1}`}
            disabled={isDisabled}
            onClick={() => onRemove(at)}
          >
            Remove
          </button>
        </div>
      ))}
      <div>
        <button type="button" id={rows.length === 0 ? id : undefined} disabled={isDisabled} onClick={onAdd}>
          {what === 'item' ? 'Add an item' : 'Add a header'}
        </button>
      </div>
    </fieldset>
  )
}

function toRowAttributes({ isInvalid, isDisabled }: ControlProps) {
  return {
    class: 'mono',
    'aria-invalid': isInvalid,
    disabled: isDisabled,
    autocomplete: 'off',
    spellcheck: false,
  } as const
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toRows(value: unknown): HeaderRows {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Returns the headers as an object; `undefined` without one that has a name. */
function toHeaders(rows: HeaderRows): object | undefined {
  const named = rows.filter(([name]) => name !== '')
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

/** Takes the last part of a nested path as the label of a field. */
export function toName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}
