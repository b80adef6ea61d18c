import type { Examined, ShownField, ShownFinding } from '../page-data.ts'
import { FieldControl, toName } from './controls.tsx'
import { decodeManaged, findWritten, type WrittenLocation } from './document-text.ts'

/** Shows all fields of the credential kind in use, in the groups of the field table. */
export function Fields({ fields, examined, ...rest }: FieldsProps) {
  const shown = fields.filter(({ id }) => Object.hasOwn(examined.keys, id))
  const groups = Map.groupBy(
    shown.filter(({ rule }) => rule.type !== 'object'),
    ({ parent }) => parent,
  )
  return (
    <>
      {[...groups].map(([parent, rows]) => {
        const holder = fields.find(({ path, kind }) => path === parent && (kind ?? examined.kind) === examined.kind)
        return <FieldGroup key={parent} holder={holder} rows={rows} examined={examined} {...rest} />
      })}
    </>
  )
}

type GroupProps = Omit<FieldsProps, 'fields'> & {
  readonly holder: ShownField | undefined
  readonly rows: readonly ShownField[]
}

/** The fields of a document, and how they are changed. */
interface FieldsProps {
  readonly fields: readonly ShownField[]
  readonly examined: Examined
  /** The value in the text of the document; `undefined` while the text is broken. */
  readonly object: Record<string, unknown> | undefined
  readonly onChange: (location: WrittenLocation, value: unknown, step: string) => void
  readonly onLeave: () => void
}

function FieldGroup({ holder, rows, examined, object, onChange, onLeave }: GroupProps) {
  const encoding = examined.shape === 'managed' ? 'managed' : 'native'
  const title = holder ? holder.path : 'The document'
  const kind = rows.find((row) => row.kind)?.kind
  const findings = examined.findings.filter(({ field }) => holder !== undefined && field === holder.id)
  return (
    <fieldset>
      <legend>
        {holder ? <code>{title}</code> : title}
        {kind ? `, kind ${kind}` : ''}
      </legend>
      {holder && (
        <p>
          <Prose text={holder.meaning} /> {holder.isAsked && <span class="tag">people are asked to agree</span>}
        </p>
      )}
      <Findings findings={findings} id={holder ? `${toDomId(holder.id)}-findings` : undefined} />
      {rows.map((field) => {
        const location = { keys: examined.keys[field.id] ?? [], encoding } as const
        const written = findWritten(object, location)
        return (
          <FieldRow
            key={field.id}
            field={field}
            value={encoding === 'managed' && field.rule.type !== 'text' ? decodeManaged(written) : written}
            findings={examined.findings.filter((finding) => finding.field === field.id)}
            isDisabled={object === undefined}
            onChange={(value) => onChange(location, value, field.id)}
            onLeave={onLeave}
          />
        )
      })}
    </fieldset>
  )
}

interface RowProps {
  readonly field: ShownField
  readonly value: unknown
  readonly findings: readonly ShownFinding[]
  readonly isDisabled: boolean
  readonly onChange: (value: unknown) => void
  readonly onLeave: () => void
}

function FieldRow({ field, value, findings, isDisabled, onChange, onLeave }: RowProps) {
  const id = toDomId(field.id)
  const isSet = value !== undefined
  return (
    <div class={isSet ? 'field set' : 'field'} onFocusOut={onLeave}>
      <div class="words">
        <label class="name" id={`${id}-name`} for={id}>
          <code>{toName(field.path)}</code>
        </label>
        <div id={`${id}-words`}>
          <p class="meaning">
            <Prose text={field.meaning} />
          </p>
          <p>
            <Prose text={[field.limits, ...field.facts].join(' · ')} />{' '}
            {field.isAsked && <span class="tag">people are asked to agree</span>}
          </p>
        </div>
      </div>
      <div>
        <FieldControl
          field={field}
          value={value}
          onChange={onChange}
          id={id}
          describedBy={`${id}-words ${id}-findings`}
          isInvalid={findings.some(({ severity }) => severity === 'error')}
          isDisabled={isDisabled}
        />
        <Findings findings={findings} id={`${id}-findings`} />
        {isSet && !isDisabled && (
          <div class="tools">
            <button type="button" class="small" onClick={() => onChange(undefined)}>
              Remove {toName(field.path)}
            </button>
          </div>
        )}
      </div>
    </div>
  )
}

const severityNames = { error: 'Error', warning: 'Warning', info: 'Note' } as const

/** Findings in a list. @param onVisit Leads to the field of a finding. */
export function Findings(props: {
  readonly findings: readonly ShownFinding[]
  readonly id?: string | undefined
  readonly onVisit?: (field: string) => void
}) {
  const { findings, id, onVisit } = props
  return (
    <ul class="findings" id={id} hidden={findings.length === 0}>
      {findings.map(({ severity, code, path, message, hint, field, line, column }) => (
        <li key={`${code} ${path}`} class={severity}>
          <strong>{severityNames[severity]}</strong>
          {onVisit && field !== undefined && (
            <a
              href={`#${toDomId(field)}`}
              onClick={(event) => {
                event.preventDefault()
                onVisit(field)
              }}
            >
              <code>{path}</code>
            </a>
          )}
          {onVisit && field === undefined && path !== '' && <code>{path}</code>} {message}
          {onVisit && line !== undefined && ` (line ${line}, column ${column ?? 1})`}
          {hint !== '' && (
            <p>
              To fix it: <Prose text={hint} />
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Words in which backticks mark code. */
function Prose({ text }: { readonly text: string }) {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return <>{text}</>
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
}

/** Returns the id of a row's control in the page. */
export function toDomId(field: string): string {
  return `field-${field.replace(/[^\w]+/g, '-')}`
}
