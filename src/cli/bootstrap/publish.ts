// `gatepass bootstrap release`, `promote`, `halt` and `revert`: the commands that change what a release folder serves.

import { type Command, InvalidArgumentError } from 'commander'
import {
  haltRelease,
  type PublishedState,
  promoteRelease,
  publishRelease,
  type ReleasePublisher,
  revertRelease,
} from '../../bootstrap/publish-release.ts'
import type { PublicKey } from '../../bootstrap/signed-line.ts'
import { outcomeStatus } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { renderFindingLines, toStatus } from '../show-findings.ts'
import { jsonOption } from '../terminal.ts'
import { checkFolder, rolloutArgument, withFile } from './check.ts'
import { createPublicKeyOption, createSigningKeyOption, readPublicKeys, readSigningKey } from './keys.ts'

const folderArgument = ['<release-folder>', 'the folder that releases are published to'] as const

/** Adds `gatepass bootstrap release`: publishes the documents of a rollout folder, first for the pilot. */
export function addBootstrapRelease(bootstrap: Command, cli: Cli): void {
  addPublishOptions(
    bootstrap
      .command('release')
      .description('check a folder, and publish it for its pilot; a first release is for everybody')
      .argument(...rolloutArgument)
      .requiredOption('--to <release-folder>', 'the folder to publish to; it is created'),
  )
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} if it was published, ${outcomeStatus.no} with errors in the folder (nothing is published then).`,
    )
    .action(async (folder: string, { to, ...flags }: PublishFlags & { to: string }) => {
      const { source, checked } = await checkFolder(cli, folder)
      const errors = checked.findings.filter(({ severity }) => severity === 'error')
      if (!source.rollout || toStatus(checked.findings) === outcomeStatus.no) {
        cli.setExitStatus(outcomeStatus.no)
        const lines = errors.map(withFile).map((finding) => renderFindingLines(folder, finding))
        return cli.terminal.tell(`${lines.join('')}${programName}: nothing was published, because of the errors\n`)
      }
      const { documents } = checked
      const published = await publishRelease(await createPublisher(cli, to, flags), {
        rollout: source.rollout,
        documents,
      })
      printPublished(cli, to, { published, flags })
    })
}

interface PublishFlags {
  readonly signingKey: string
  readonly publicKey?: string
  readonly json?: true
}

function addPublishOptions(command: Command): Command {
  return command
    .addOption(createSigningKeyOption())
    .addOption(createPublicKeyOption())
    .option(...jsonOption)
}

/** Adds `gatepass bootstrap promote`: gives the current release to one more wave. */
export function addBootstrapPromote(bootstrap: Command, cli: Cli): void {
  addPublishOptions(
    bootstrap
      .command('promote')
      .description('give the release to the people up to a wave; whoever has it keeps it')
      .argument(...folderArgument)
      .requiredOption('--wave <number>', 'the last wave that gets it, counted from 1', parseWave)
      .option('--resume', 'go on with a release that was halted'),
  ).action(async (folder: string, { wave, resume, ...flags }: PublishFlags & { wave: number; resume?: true }) => {
    const published = await promoteRelease(await createPublisher(cli, folder, flags), {
      wave,
      isResumed: resume === true,
    })
    printPublished(cli, folder, { published, flags })
  })
}

/** Adds `gatepass bootstrap halt`: nobody else gets the current release. */
export function addBootstrapHalt(bootstrap: Command, cli: Cli): void {
  const words = 'give the release before it to everybody who does not have the new one'
  addChange(bootstrap.command('halt').description(words), cli, haltRelease)
}

/** Adds `gatepass bootstrap revert`: makes the release before the current one the release for everybody. */
export function addBootstrapRevert(bootstrap: Command, cli: Cli): void {
  const words = 'take the release back: everybody gets the one before it'
  addChange(bootstrap.command('revert').description(words), cli, revertRelease)
}

/** Adds the folder and the options of a command that only changes which release is served. */
function addChange(command: Command, cli: Cli, change: (publisher: ReleasePublisher) => Promise<PublishedState>): void {
  addPublishOptions(command.argument(...folderArgument)).action(async (folder: string, flags: PublishFlags) => {
    const published = await change(await createPublisher(cli, folder, flags))
    printPublished(cli, folder, { published, flags })
  })
}

async function createPublisher(
  { host }: Cli,
  directory: string,
  { signingKey, publicKey }: PublishFlags,
): Promise<ReleasePublisher> {
  const key = await readSigningKey(host, signingKey)
  const otherKeys: PublicKey[] = publicKey === undefined ? [] : await readPublicKeys(publicKey)
  return { directory, key, otherKeys, now: host.clock.now() }
}

interface PrintedState {
  readonly published: PublishedState
  readonly flags: PublishFlags
}

function printPublished({ terminal }: Cli, folder: string, { published, flags }: PrintedState): void {
  const { pointer, manifest } = published
  if (flags.json) {
    const { counter: release, id, waves } = manifest
    const { wave, state, serial, manifest: digest } = pointer
    const shown = { folder, release, id, manifest: digest, wave, waves, state, serial }
    terminal.print(renderJson(shown))
    return
  }
  terminal.print(`${describeState(published)}\n${describeNext(folder, { published, flags })}`)
}

function describeState({ pointer, manifest }: PublishedState): string {
  const { counter, waves, pilot } = manifest
  const { wave, state } = pointer
  if (state === 'halted')
    return `Release ${counter} is halted at wave ${wave}: only people who already have it keep it.`
  if (wave >= waves.length) return `Release ${counter} is served to everybody.`
  if (wave === 0)
    return `Release ${counter} is served to its pilot: ${pilot.length === 1 ? '1 person' : `${pilot.length} people`}.`
  return `Release ${counter} is served up to wave ${wave} of ${waves.length}: ${waves[wave - 1]} % of the people, and the pilot.`
}

function describeNext(folder: string, { published: { pointer, manifest }, flags }: PrintedState): string {
  if (pointer.state === 'halted' || pointer.wave >= manifest.waves.length) return ''
  const { signingKey, publicKey } = flags
  const keys = [
    ...['--signing-key', nameKeyAgain(signingKey)],
    ...(publicKey === undefined ? [] : ['--public-key', nameKeyAgain(publicKey)]),
  ].join(' ')
  return `Next: ${programName} bootstrap promote ${quoteForHint(folder)} --wave ${pointer.wave + 1} ${keys}\n`
}

/** Names the option for the same key in a suggested command. A pipe, such as that of `<(…)`, does not exist any more then. */
function nameKeyAgain(given: string): string {
  return given.startsWith('/dev/') ? 'FILE' : quoteForHint(given)
}

function parseWave(text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected the number of a wave.')
}
