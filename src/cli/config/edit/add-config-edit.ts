import { basename, resolve } from 'node:path'
import type { Command } from 'commander'
import { outcomeStatus, renderHint, renderWarning, toOneLine } from '../../../runtime/failure.ts'
import { detectBrowserAccess, listOpeners } from '../../../sources/oauth/list-openers.ts'
import { attemptOpeners, describeUnopened } from '../../../sources/oauth/open-browser.ts'
import { readBrowserFacts } from '../../../sources/oauth/sign-in-tools.ts'
import { toBrowserEnvironment } from '../../../sources/oauth/to-browser-environment.ts'
import { programName } from '../../../version.ts'
import type { AddCommand, Cli } from '../../cli.ts'
import { createReleaseOption, createShapeOption, type SourceShape } from '../../read-source.ts'
import { waitForSignal } from '../../terminal.ts'
import { findVendorWarning, tellNeutralNames } from '../vendor-warnings.ts'
import { readEditedFile } from './edited-file.ts'
import { createAnswers } from './page-answers.ts'
import { renderEditPage } from './render-edit-page.ts'
import { servePage } from './serve-page.ts'

/** Adds `gatepass config edit`: a document in a browser. */
export const addConfigEdit: AddCommand = (config: Command, cli: Cli) => {
  config
    .command('edit')
    .description('edit a document in a browser: every field, what is wrong with it, what clients would do')
    .argument('<file>', 'a JSON file; it is created when you save if it does not exist')
    .option('--no-browser', 'print the address, and open no browser')
    .addOption(createReleaseOption())
    .addOption(createShapeOption())
    .addHelpText('after', helpText)
    .action((path: string, flags: EditFlags) => runEdit(cli, path, flags))
}

interface EditFlags {
  readonly browser: boolean
  readonly clientVersion?: string
  readonly shape?: SourceShape
}

const helpText = `
The page is served to this machine alone. Nothing is written until you save it there. The command ends when you finish in the page, or with Ctrl-C.

Exit status: ${outcomeStatus.done}; ${outcomeStatus.usage} if the file cannot be edited as JSON.`

async function runEdit(cli: Cli, path: string, flags: EditFlags): Promise<void> {
  const { terminal } = cli
  await readEditedFile(path) // reports a file that cannot be edited before a browser opens
  const finished = Promise.withResolvers<void>()
  const edited = { path, shape: flags.shape, release: flags.clientVersion ?? '' }
  let isSaved = false
  const { open, answers } = createAnswers(cli, edited, () => {
    isSaved = true
  })
  const html = await renderEditPage(basename(path))
  const onReused = () => terminal.tell(reusedWarning)
  const server = await servePage({ html, open, answers, onReused, onFinished: finished.resolve })
  try {
    const warning = await findVendorWarning(path, ['config', 'edit', path])
    if (warning === undefined) tellNeutralNames(terminal)
    else terminal.tell(warning)
    await tellAddress(cli, server.address, flags)
    await Promise.race([finished.promise, waitForSignal()])
  } finally {
    await server.close()
  }
  if (isSaved) await tellExports(cli, resolve(path))
}

/** Opens the address in a browser if the person would see it, like a sign-in; otherwise prints it. */
async function tellAddress({ host, terminal }: Cli, address: string, { browser }: EditFlags): Promise<void> {
  const problem = browser ? await attemptBrowser(host, address) : ''
  if (problem === undefined) return terminal.tell(`${programName}: the document is in your browser; Ctrl-C ends this\n`)
  if (problem !== '') terminal.tell(`${programName}: no browser was opened: ${toOneLine(problem)}\n`)
  terminal.tell(`${programName}: open this address in a browser on this machine; it works once; Ctrl-C ends this\n`)
  terminal.print(`${address}\n`)
}

/** Warns about exports that are stale now. The code is loaded on use, because setup is larger than the whole editor. */
async function tellExports(cli: Cli, path: string): Promise<void> {
  const { tellStaleExports } = await import('../../setup/changes/stale-exports.ts')
  await tellStaleExports(cli, path)
}

const reusedWarning =
  renderWarning(programName, 'somebody opened the address a second time, and was refused') +
  renderHint(programName, 'if it was not you, end this with Ctrl-C, and look at the file')

/** @returns why no browser was opened; `undefined` if one was. */
async function attemptBrowser(host: Cli['host'], address: string): Promise<string | undefined> {
  const facts = await readBrowserFacts(host, AbortSignal.timeout(10_000))
  const access = detectBrowserAccess(facts)
  if (access !== 'here') return browserProblems[access]
  const failed = await attemptOpeners(listOpeners(facts, address), toBrowserEnvironment(host.env))
  return failed && describeUnopened(failed, host.env.BROWSER)
}

const browserProblems = {
  'remote shell': 'this is a remote shell',
  'no graphic session': 'this session has no windows',
  'no display': 'there is no display',
} as const
