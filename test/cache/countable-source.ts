import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { importHelper, root } from '../../pkg-scripts/tree.ts'
import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { startTokenServer } from './token-server.ts'

/** A helper's source of which every request for a token is seen, and a home directory from which it is asked. */
export interface CountableSource {
  readonly home: string
  /** The whole environment of a run. */
  readonly env: Readonly<Record<string, string>>
  /** The life of its tokens where that is not an hour, and the ttl for which it suffices; `argv` tells the helper of that. */
  readonly times?: { readonly lifeSec: number; readonly ttlSec: number }
  /** Whether the helper keeps the last token itself, and prints it with a warning while the source is away. */
  readonly keepsLast?: boolean
  /** Arguments for its tokens; another number is another key. */
  argv(key?: number): string[]
  /** How often the source gave a token, or nothing at all. */
  mints(): number
  /** The next one that asks gets no answer. */
  hangOnce(): void
  /** From now on it takes so long. */
  delay(ms: number): void
  /** From now on it says that it is overloaded. */
  refuseBriefly(): void
  /** From now on it gives nobody a token, until it is told to {@link delay}. */
  refuse(): void
  /** The settings that lead a run to another address instead of this source. */
  leadTo(url: string): Redirection | Promise<Redirection>
  /** The processes that work for a run and outlive it, where the helper has such. */
  listWorkers?(): number[]
  /** How often it was asked for a token, whatever it answered. */
  asked(): number
}

/** Arguments and variables of a run besides the usual ones. */
interface Redirection {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Starts the source of a helper, until the test is over: the one beside the helper's own tests, otherwise a service that
 * answers what the helper's declaration gives as an example.
 */
export async function startCountableSource(helper: string): Promise<CountableSource> {
  const own = join(root, 'test', 'helpers', helper, 'countable-source.ts')
  if (existsSync(own)) {
    const { startSource }: { startSource: () => Promise<CountableSource> } = await import(own)
    return startSource()
  }
  const { example } = await importHelper(helper)
  if (example) return startExample(example)
  throw new Error(`no test can give ${helper} a token: declare its example, or write ${own}`)
}

async function startExample({ argv, answer }: Required<AnyHelper>['example']): Promise<CountableSource> {
  const home = await temporaryDirectory()
  const { url, ...behaviour } = await startTokenServer(answer)
  return {
    ...behaviour,
    home,
    env: { HOME: home },
    argv: (key = 0) => [...argv(url), '--header', `X-Key: ${key}`],
    leadTo: (elsewhere) => ({ argv: argv(elsewhere) }),
  }
}
