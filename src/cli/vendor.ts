import { type Command, Option } from 'commander'
import { HelperError, refuseBrokenNames, toOneLine } from '../runtime/failure.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import { findKnownClient, type KnownClient, knownClients } from '../vendor/known-clients.ts'
import { vendorRules } from '../vendor/rules.ts'
import { type NameSource, selectNameSource, toVendor, type VendorKey, type VendorSetting } from '../vendor/setting.ts'
import { validateName, validateVendorSetting } from '../vendor/validate-setting.ts'
import { isNeutral, vendorSetting } from '../vendor.ts'
import { programName } from '../version.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { type Interview, resolveAnswer } from './config/init/question.ts'
import { writeAnswer } from './config/write-answer.ts'
import { createOutOption, toFlag } from './option-values.ts'
import { jsonOption } from './terminal.ts'
import { addVendorCheck, renderNames, toShownNames } from './vendor-check.ts'

/** `gatepass vendor …`: the names of the client's vendor. */
export const vendorCommand: ProgramCommand = {
  add: addVendor,
  examples: {
    vendor: ['gatepass vendor', 'gatepass vendor check vendor.json'],
    'vendor list': ['gatepass vendor list', 'gatepass vendor list --json'],
    'vendor show': ['gatepass vendor show', 'gatepass vendor show --json'],
    'vendor check': [
      'gatepass vendor check vendor.json',
      'gatepass vendor check vendor.json --installed',
      'gatepass vendor init --name Acme --env-prefix ACME \\\n  --header-prefix acme --cloud-word Acme --key-prefix sk-acme- \\\n  | gatepass vendor check -',
    ],
    'vendor init': [
      'gatepass vendor init --client claude-desktop --out vendor.json',
      'gatepass vendor init --name Acme --env-prefix ACME \\\n  --header-prefix acme --cloud-word Acme --key-prefix sk-acme- \\\n  --out vendor.json',
    ],
  },
}

function addVendor(program: Command, cli: Cli): void {
  const vendor = program
    .command('vendor')
    .description('show the names of the client, and check or write a file of them')
  addVendorShow(vendor, cli)
  addVendorCheck(vendor, cli)
  addVendorInit(vendor, cli)
  addVendorList(vendor, cli)
}

/** Adds `gatepass vendor show`: every name in force, with its source. */
function addVendorShow(vendor: Command, { terminal }: Cli): void {
  vendor
    .command('show', { isDefault: true })
    .description('say every name in force, and where they come from')
    .option(...jsonOption)
    .action(({ json }: { json?: true }) => {
      refuseBrokenNames()
      const source = selectNameSource()
      const names = toShownNames(vendorSetting)
      const { from, path } = source
      if (json) return terminal.print(renderJson({ from, path, names: Object.fromEntries(names) }))
      const note = isNeutral
        ? `\nThese are neutral names, which reach no client: see ${programName} vendor init --help\n`
        : ''
      terminal.print(`The names of ${describeSource(source)}\n\n${renderNames(names)}${note}`)
    })
}

/** Adds `gatepass vendor init`: creates a vendor file from flags and from answers at a terminal. */
function addVendorInit(vendor: Command, cli: Cli): void {
  const command = vendor.command('init').description('write a vendor file; at a terminal it asks for what no flag says')
  command.option(
    '--client <name>',
    `take the names of a known client; flags replace some (see: ${programName} vendor list)`,
  )
  for (const name of settable) command.addOption(new Option(`${toFlag(name)} <text>`, vendorRules[name].summary))
  command
    .addOption(createOutOption())
    .option('--force', 'replace the file of --out')
    .addHelpText(
      'after',
      '\nLook each name up in the documentation of your client. Names that you leave out are guessed from the others.',
    )
    .action((flags: VendorInitFlags) => runInit(cli, flags))
}

/** Adds `gatepass vendor list`: the clients with known names, each name with its source. */
function addVendorList(vendor: Command, { terminal }: Cli): void {
  vendor
    .command('list')
    .description('say which clients are known, and where each of their names was read')
    .option(...jsonOption)
    .addHelpText('after', `\nThe file of one of them: ${programName} vendor init --client NAME`)
    .action(({ json }: { json?: true }) => {
      if (json) return terminal.print(renderJson({ clients: knownClients.map(toListed) }))
      terminal.print(knownClients.map(renderClient).join('\n'))
    })
}

function toListed({ name, title, setting, releases, sources }: KnownClient) {
  return { name, title, names: setting, releases: releases.expected, sources }
}

function renderClient({ name, title, setting, releases, sources }: KnownClient): string {
  const given = new Map([...toShownNames(setting)].filter(([, { from }]) => from === 'given'))
  const read = sources.map((source) => `  ${source.url}\n    read on ${source.read}: ${source.names.join(', ')}\n`)
  return `${name}: ${title}\n\n${renderNames(given)}\n  Its releases have ${releases.expected}.\n\nSources\n\n${read.join('')}`
}

type VendorInitFlags = {
  readonly client?: string
  readonly out?: string
  readonly force?: true
} & Partial<VendorSetting>

const settable = Object.keys(vendorRules) as VendorKey[] // keys of the table

async function runInit(cli: Cli, { client, out, force, ...given }: VendorInitFlags): Promise<void> {
  using conversation = client === undefined ? cli.terminal.startConversation() : undefined
  const setting =
    client === undefined
      ? await askForNames({ command: 'vendor init', cli, conversation }, given)
      : { ...requireKnownClient(client).setting, ...given }
  const result = validateVendorSetting(setting)
  if ('problems' in result)
    throw new HelperError(
      'usage',
      result.problems.join('; '),
      `correct these flags; see: ${programName} vendor init --help`,
    )
  const file = force ? 'replaced' : 'new'
  const content = renderJson(result.setting)
  await writeAnswer(cli.terminal, content, { out, file, readers: 'as the system creates files' })
}

/** Asks in the order of the table, so that names which are derived from earlier answers can be suggested. A derived name is not written. */
async function askForNames(interview: Interview, given: Partial<VendorSetting>): Promise<Partial<VendorSetting>> {
  const answers: Partial<Record<VendorKey, string>> = {}
  for (const name of settable) {
    const derived = vendorRules[name].derive && toVendor(answers as unknown as VendorSetting)[name] // required names come first
    const answer = await resolveAnswer(
      interview,
      {
        flag: toFlag(name),
        words: `${name}: ${vendorRules[name].summary}`,
        ...(derived !== undefined && { fallback: { value: derived, words: derived } }),
        validate: (text) => validateName(name, text || derived),
      },
      given[name],
    )
    if (answer !== derived) answers[name] = answer
  }
  return answers
}

/** @throws {HelperError} `usage` for an unknown client. */
function requireKnownClient(name: string): KnownClient {
  const client = findKnownClient(name)
  if (client !== undefined) return client
  const known = knownClients.map((row) => row.name).join(', ')
  throw new HelperError(
    'usage',
    `${JSON.stringify(name)} is not a known client; there is ${known}`,
    `pass one of these, or each name by its own flag; see: ${programName} vendor init --help`,
  )
}

function describeSource({ from, path }: NameSource): string {
  if (from === 'build') return 'this build'
  return from === 'machine' ? `the machine, from ${toOneLine(path!)}` : toOneLine(path!)
}
