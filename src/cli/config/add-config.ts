// Folder: `gatepass config`: checking, converting, comparing and exporting documents, and the configuration of other clients.

import { dirname } from 'node:path'
import { type Command, Option } from 'commander'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { credentialKinds, type Field, type Reader, readers } from '../../config/field.ts'
import { findConsent } from '../../config/fields.ts'
import { type Served, servedAuthentications } from '../../config/parse-value.ts'
import { type Shape, shapes } from '../../config/read/read-document.ts'
import { convertDocument } from '../../config/render/convert.ts'
import { createJsonSchema } from '../../config/render/json-schema.ts'
import { describeRule, type FieldFilter, listFields } from '../../config/render/list-fields.ts'
import { HelperError, outcomeStatus } from '../../runtime/failure.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { AddCommand, Cli, ProgramCommand } from '../cli.ts'
import {
  createReleaseOption,
  createShapeOption,
  documentArgument,
  isUrl,
  parseBaseUrl,
  readSource,
  type SourceShape,
} from '../read-source.ts'
import { type CheckedDocument, computeStatus, strictOption, toStatus, unreadableStatus } from '../show-findings.ts'
import { jsonOption, type Terminal } from '../terminal.ts'
import { collectFindings, renderConclusion } from './collect-findings.ts'
import { createFormatOption, createJsonOption, type FindingsFormat, formatRenderers } from './render-findings.ts'
import { findVendorWarning, tellNeutralNames } from './vendor-warnings.ts'
import { forceOption, renderedHelp, writeRendered } from './write-rendered.ts'

/** `gatepass config …`: the configuration document. */
export const configCommand: ProgramCommand = {
  add: addConfig,
  examples: {
    config: [
      'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com \\\n  --out config.json',
      'gatepass config check config.json',
      'gatepass config export config.json --to linux',
    ],
    'config init': [
      'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com \\\n  --out config.json',
      'gatepass config init --kind external-idp --issuer https://id.example.com \\\n  --client-id gatepass --base-url https://gateway.example.com',
    ],
    'config check': [
      'gatepass config check config.json',
      'gatepass config check --here --strict config.json',
      'gatepass config check --format github config.json',
    ],
    'config convert': [
      'gatepass config convert config.json --to managed',
      'gatepass config convert config.json --to flat --out flat.json',
    ],
    'config export': [
      'gatepass config export config.json --to mobileconfig \\\n  --out gatepass.mobileconfig',
      'gatepass config export config.json --to linux --out managed.json',
      'gatepass config export --to reg --undo --out undo.reg',
    ],
    'config fields': [
      'gatepass config fields --kind helper-script',
      'gatepass config fields --client-version 1.14271.0',
    ],
    'config schema': ['gatepass config schema', 'gatepass config schema > config.schema.json'],
    'config diff': ['gatepass config diff config.json new.json', 'gatepass config diff --json config.json new.json'],
    'config edit': [
      'gatepass config edit config.json',
      'gatepass config edit config.json --no-browser --client-version 1.14271.0',
    ],
  },
}

async function addConfig(program: Command, cli: Cli): Promise<void> {
  const config = program.command('config').description('read, check, convert and write the configuration document')
  const [first, second = ''] = cli.host.argv
  const called = first === 'config' && Object.hasOwn(commands, second) ? [commands[second]!] : Object.values(commands)
  for (const load of called) await (await load())(config, cli)
}

/** Every subcommand, in the order of the help. Large ones are loaded when they are called, or when all are listed. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  check: async () => addConfigCheck,
  convert: async () => addConfigConvert,
  export: async () => (await import('./export.ts')).addConfigExport,
  fields: async () => addConfigFields,
  schema: async () => addConfigSchema,
  init: async () => (await import('./init/add-config-init.ts')).addConfigInit,
  diff: async () => (await import('./diff.ts')).addConfigDiff,
  edit: async () => (await import('./edit/add-config-edit.ts')).addConfigEdit,
}

interface DocumentCheckFlags {
  readonly clientVersion?: string
  readonly reader?: Reader
  readonly os?: OperatingSystem
  readonly shape?: SourceShape
  readonly served?: string
  readonly servedWith: Served['authentication']
  readonly here?: true
  readonly strict?: true
  readonly format: FindingsFormat
  readonly json?: true
}

/** Adds `gatepass config check`: the problems of a document, and their fixes. */
function addConfigCheck(config: Command, cli: Cli): void {
  const [, summary] = documentArgument
  config
    .command('check')
    .description('say what will not work in a document, and how to fix it')
    .argument('<document...>', `${summary}; several may be given`)
    .addOption(createReleaseOption())
    .addOption(new Option('--reader <reader>', 'the program that reads the document').choices(readers))
    .addOption(
      new Option(
        '--os <system>',
        "the system whose helper path is checked (default: this machine's, and also Windows if the document has a helper for both)",
      ).choices(operatingSystems),
    )
    .addOption(createShapeOption())
    .option('--served <url>', 'check files by the stricter rules for a document that this address serves', parseBaseUrl)
    .addOption(
      new Option(
        '--served-with <authentication>',
        'how clients sign in there; with external-idp, baseUrl may have another origin',
      )
        .choices(servedAuthentications)
        .default('none'),
    )
    .option('--here', 'also check this machine: does the helper exist, can it be run, is it safe')
    .option(...strictOption)
    .addOption(createFormatOption())
    .addOption(createJsonOption())
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} without errors, ${outcomeStatus.no} with errors, ${outcomeStatus.usage} if a document cannot be read; of several documents, the worst.`,
    )
    .action(async (sources: readonly string[], flags: DocumentCheckFlags) => check(cli, sources, flags))
}

async function check(cli: Cli, sources: readonly string[], flags: DocumentCheckFlags): Promise<void> {
  if (sources.filter((source) => source === '-').length > 1) {
    throw new HelperError('usage', 'only one document can be standard input', 'name files for the others')
  }
  const documents: CheckedDocument[] = []
  for (const source of sources) documents.push(await checkSource(cli, source, flags))
  cli.setExitStatus(computeStatus(documents))
  const format = flags.json ? 'json' : flags.format
  cli.terminal.print(formatRenderers[format](documents, cli.terminal.paint))
  const named = new Map(sources.filter(isFile).map((source) => [dirname(source), source]))
  for (const source of named.values())
    cli.terminal.tell((await findVendorWarning(source, ['config', 'check', source])) ?? '')
  if (flags.here) tellNeutralNames(cli.terminal)
}

async function checkSource(cli: Cli, source: string, flags: DocumentCheckFlags): Promise<CheckedDocument> {
  const served = flags.served === undefined ? undefined : { url: flags.served, authentication: flags.servedWith }
  const result = await readSource(cli, source, flags.shape, served)
  const findings = await collectFindings(cli, result, flags)
  const acceptance = flags.strict ? 'strict' : 'usual'
  return {
    source: hideUrlSecrets(source),
    status: result.document === undefined ? unreadableStatus : toStatus(findings, acceptance),
    findings,
    conclusion: renderConclusion(result, findings, acceptance),
  }
}

interface ConvertFlags {
  readonly to: Shape
  readonly out?: string
  readonly shape?: SourceShape
  readonly os?: OperatingSystem
  readonly clientVersion?: string
  readonly force?: true
}

function isFile(source: string): boolean {
  return source !== '-' && !isUrl(source)
}

/** Adds `gatepass config convert`: the same document in another form. */
function addConfigConvert(config: Command, cli: Cli): void {
  config
    .command('convert')
    .description('print a document in another form')
    .argument(...documentArgument)
    .addOption(new Option('--to <form>', 'the form to print').choices(shapes).makeOptionMandatory())
    .option('--out <file>', 'where to write it (default: standard output)')
    .option(...forceOption)
    .addOption(createShapeOption())
    .addOption(createReleaseOption())
    .addOption(
      new Option(
        '--os <system>',
        'the system whose helper path is checked (default: every system for which the document has one)',
      ).choices(operatingSystems),
    )
    .addHelpText('after', renderedHelp)
    .action(async (source: string, { to, ...flags }: ConvertFlags) => {
      await writeRendered(cli, { source, ...flags }, (result) => convertDocument(result, to, flags.clientVersion))
    })
}

/** Adds `gatepass config fields`: the table of all fields of a document. */
function addConfigFields(config: Command, { terminal }: Cli): void {
  config
    .command('fields')
    .description('list what a document can say')
    .addOption(new Option('--kind <kind>', 'fields of this kind of credential').choices(credentialKinds))
    .addOption(createReleaseOption())
    .option(...jsonOption)
    .action(({ json, ...filter }: FieldFilter & { json?: true }) => {
      const rows = listFields(filter)
      terminal.print(json ? renderFieldRecords(rows) : rows.map((row) => renderField(row, terminal.paint)).join(''))
    })
}

function renderFieldRecords(rows: readonly Field[]): string {
  const records = rows.map((row) => ({
    ...Object.fromEntries(shownKeys.map((key) => [key, row[key]])),
    value: describeRule(row.rule),
    consent: findConsent(row) !== undefined,
  }))
  return renderJson(records)
}

/** The columns of the field table for readers; a row omits a column without a value. */
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

/** Adds `gatepass config schema`: for editors and other validators. */
function addConfigSchema(config: Command, { terminal }: Cli): void {
  config
    .command('schema')
    .description('print the JSON Schema (2020-12) of the nested form')
    .action(() => terminal.print(renderJson(createJsonSchema())))
}
