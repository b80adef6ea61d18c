import { type Command, Option } from 'commander'
import { describeRule, type FieldFilter, selectFields } from '../config/describe-field.ts'
import { credentialKinds } from '../config/document.ts'
import type { Field } from '../config/field.ts'
import type { Cli } from './cli.ts'
import { releaseOption } from './config-check.ts'

/** `gatepass config fields`: the table of everything that a document can say. */
export function addConfigFields(config: Command, { terminal }: Cli): void {
  config
    .command('fields')
    .description('list what a document can say')
    .addOption(new Option('--kind <kind>', 'fields of this kind of credential').choices(credentialKinds))
    .addOption(releaseOption())
    .option('--json', 'print one JSON document')
    .action(({ json, ...filter }: FieldFilter & { json?: true }) => {
      const rows = selectFields(filter)
      terminal.print(
        json
          ? `${JSON.stringify(rows.map(toRecord), undefined, 2)}\n`
          : rows.map((row) => renderField(row, terminal.paint)).join(''),
      )
    })
}

function toRecord({
  path,
  flat,
  kind,
  rule,
  default: otherwise,
  since,
  consent,
  pin,
  availability,
  deprecation,
  summary,
}: Field) {
  return {
    path,
    flat,
    kind,
    rule,
    default: otherwise,
    since,
    consent: consent === true,
    pin,
    availability,
    deprecation,
    summary,
  }
}

function renderField(field: Field, paint: Cli['terminal']['paint']): string {
  const notes = [
    describeRule(field.rule),
    field.default === undefined ? undefined : `default ${field.default}`,
    field.since && `since ${field.since}`,
    field.consent && 'asks for consent',
    field.pin && 'pinned to the origin',
  ].filter(Boolean)
  const kind = field.kind ? paint('quiet', ` (${field.kind})`) : ''
  const deprecation = field.deprecation ? `    deprecated when flat: ${field.deprecation}\n` : ''
  return `${paint('strong', field.path)}${kind}\n    ${field.summary}\n    ${notes.join('; ')}\n${field.flat ? `    flat: ${field.flat}\n` : ''}${deprecation}`
}
