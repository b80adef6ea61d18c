import { type Command, Option } from 'commander'
import { computeEarliestExpiry } from '../contract/freshness.ts'
import { type CachedToken, clearCachedTokens, listCachedTokens } from '../helper/cache/inventory.ts'
import { findErrorCode, HelperError, toOneLine } from '../runtime/failure.ts'
import { cacheProblem, locateCacheDirectory, UnsafeCacheError } from '../runtime/files/private-files.ts'
import { renderCounted } from '../runtime/text/counted.ts'
import { renderLookHint } from '../runtime/text/quote.ts'
import { renderDuration } from '../runtime/values/duration.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { jsonOption, type Terminal } from './terminal.ts'

/** `gatepass cache …`: the tokens that helpers keep on this machine for this user. */
export const cacheCommand: ProgramCommand = {
  add: addCache,
  examples: {
    cache: ['gatepass cache list', 'gatepass cache clear'],
    'cache list': ['gatepass cache list', 'gatepass cache list --json'],
    'cache clear': ['gatepass cache list', 'gatepass cache clear'],
  },
}

function addCache(program: Command, cli: Cli): void {
  const cache = program.command('cache').description('list and clear the tokens that helpers keep between runs')
  const helperOption = () => new Option('--helper <name>', 'tokens of this helper').choices([...cli.helpers.keys()])
  cache
    .command('list')
    .description('say what is kept, from what, and for how long; never a token')
    .addOption(helperOption())
    .option(...jsonOption)
    .action(({ helper, json }: { helper?: string; json?: true }) => printTokens(cli, helper, json ? 'json' : 'words'))
  cache
    .command('clear')
    .description('overwrite the tokens that are kept, and remove them')
    .addOption(helperOption())
    .action(({ helper }: { helper?: string }) => clearTokens(cli, helper))
}

async function printTokens({ host, terminal }: Cli, helper: string | undefined, form: 'json' | 'words'): Promise<void> {
  const directory = locateCacheDirectory(host)
  const all = await requireCache(directory, () => listCachedTokens(directory))
  const kept = all.filter((token) => helper === undefined || token.helper === helper)
  const now = host.clock.now()
  if (form === 'json') return terminal.print(renderJson(kept.map((token) => toRecord(token, now))))
  terminal.print(
    kept.map((token) => renderToken(token, now, terminal.paint)).join('') ||
      `Nothing is kept in ${toOneLine(directory)}.\n`,
  )
}

async function clearTokens({ host, terminal }: Cli, helper: string | undefined): Promise<void> {
  const directory = locateCacheDirectory(host)
  const count = await requireCache(directory, () => clearCachedTokens(directory, helper))
  terminal.print(`${renderCounted(count, 'token')} removed from ${toOneLine(directory)}.\n`)
}

/** Converts the error of an unusable cache into a failure of the command. */
async function requireCache<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const reason = cause instanceof UnsafeCacheError ? cause.message : findErrorCode(cause)
    const hint = renderLookHint(directory)
    throw new HelperError('refused', `${cacheProblem}: ${reason}`, hint, { cause })
  }
}

function toRecord({ helper, path, entry, isSealed }: CachedToken, now: number) {
  if (!entry) return { helper, path }
  const { uses, context, minted } = entry
  const end = computeEarliestExpiry(entry)
  return {
    helper,
    uses,
    context,
    minted: new Date(minted).toISOString(),
    expires: new Date(end).toISOString(),
    remainingSec: Math.max(0, Math.floor((end - now) / 1000)),
    path,
    ...(isSealed && { sealed: true }),
  }
}

function renderToken(token: CachedToken, now: number, paint: Terminal['paint']): string {
  const { helper, path, entry, isSealed } = token
  if (!entry) return `${paint('strong', helper)}  not readable by this version\n    ${toOneLine(path)}\n`
  const end = computeEarliestExpiry(entry)
  const dates = `minted ${new Date(entry.minted).toISOString()} (${entry.context}), expires ${new Date(end).toISOString()}`
  const lines = [...entry.uses.map(toOneLine), dates].map((line) => `    ${line}\n`)
  return `${paint('strong', helper)}  ${describeLife(end - now)}${isSealed ? ', sealed' : ''}\n${lines.join('')}`
}

function describeLife(ms: number): string {
  if (ms <= 0) return 'has expired'
  return `${renderDuration(Math.floor(ms / 1000))} left`
}
