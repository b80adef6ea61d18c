import { type Command, Option } from 'commander'
import { credentialKinds } from '../../config/document.ts'
import type { Field } from '../../config/field.ts'
import { findConsent } from '../../config/fields.ts'
import { describeRule, type FieldFilter, listFields } from '../../config/render/describe-field.ts'
import type { Cli } from '../cli.ts'
import { createReleaseOption } from '../document-options.ts'
import type { Terminal } from '../terminal.ts'

/** `gatepass config fields`: the table of everything that a document can say. */
export function addConfigFields(config: Command, { terminal }: Cli): void {
  config
    .command('fields')
    .description('list what a document can say')
    .addOption(new Option('--kind <kind>', 'fields of this kind of credential').choices(credentialKinds))
    .addOption(createReleaseOption())
    .option('--json', 'print one JSON document')
    .action(({ json, ...filter }: FieldFilter & { json?: true }) => {
      const rows = listFields(filter)
      terminal.print(json ? renderJson(rows) : rows.map((row) => renderField(row, terminal.paint)).join(''))
    })
}

function renderJson(rows: readonly Field[]): string {
  const records = rows.map((row) => ({
    ...Object.fromEntries(shownKeys.map((key) => [key, row[key]])),
    value: describeRule(row.rule),
    consent: findConsent(row) !== undefined,
  }))
  return `${JSON.stringify(records, undefined, 2)}\n`
}

/** Columns of the field table that are of use outside; a row without a value leaves it out. */
const shownKeys = [
  'path',
  'flat',
  'kind',
  'summary',
  'default',
  'since',
  'required',
  'secret',
  'pin',
  'availability',
  'deprecation',
] as const satisfies readonly (keyof Field)[]

function renderField(field: Field, paint: Terminal['paint']): string {
  const notes = [
    describeRule(field.rule),
    field.required && 'required',
    field.default !== undefined && `default ${field.default}`,
    field.since && `since ${field.since}`,
    findConsent(field) && 'asks for consent',
    field.pin && 'pinned to the origin',
  ]
  const kind = field.kind ? paint('quiet', ` (${field.kind})`) : ''
  const lines = [
    field.summary,
    notes.filter(Boolean).join('; '),
    field.flat && `flat: ${field.flat}`,
    field.deprecation && `deprecated when flat: use ${field.deprecation}`,
  ]
  const shown = lines.filter(Boolean).map((line) => `    ${line}\n`)
  return `${paint('strong', field.path)}${kind}\n${shown.join('')}`
}
