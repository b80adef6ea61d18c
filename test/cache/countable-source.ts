import { startExchange } from './countable-exchange.ts'
import { startAwsRole } from './countable-role.ts'

/** A helper's source of which every request for a token is seen, and a home directory from which it is asked. */
export interface CountableSource {
  readonly home: string
  /** The whole environment of a run. */
  readonly env: Readonly<Record<string, string>>
  /** Arguments for tokens of an hour; another number is another key. */
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
  /** What leads a run to another address in its place. */
  leadTo(url: string): { readonly argv?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  /** How often it was asked for a token, whatever it answered. */
  asked(): number
}

/** How each helper is given such a source. A helper that is missing here fails the tests of the cache by name. */
const startBy: Readonly<Record<string, () => Promise<CountableSource>>> = {
  'aws-bedrock-token': startAwsRole,
  'workload-token': startExchange,
}

/** Starts the source of a helper, until the test is over. */
export async function startCountableSource(helper: string): Promise<CountableSource> {
  const start = startBy[helper]
  if (!start) throw new Error(`nobody says how to count the mints of ${helper}: add it to ${import.meta.filename}`)
  return start()
}
