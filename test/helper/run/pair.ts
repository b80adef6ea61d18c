import { type AnyHelper, defineHelper, type MintedToken, type OtherHelpers } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import type { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { type TestHostParts, testHost, testNow } from '../../setup/test-host.ts'

/** The header of a gateway that takes a second token. */
export const headerOfSecond = ['--header', 'X-Second: Bearer {second.token}']

/** The results of a made-up source, one after the other; a number is the life of a token in seconds. */
type Mints = readonly (number | HelperError | 'endless' | 'hanging')[]

interface MadeUp {
  readonly mints?: Mints
  /** The work of a sign-in; if absent, the helper has no sign-in. */
  readonly signIn?: () => void
}

/** Creates two helpers, `front` and `back`, and what was asked of them in which order. */
export function createPair(front: MadeUp = {}, back: MadeUp = {}) {
  const done: string[] = []
  const others: OtherHelpers = new Map([
    ['front', async () => createHelper('front', front, done)],
    ['back', async () => createHelper('back', back, done)],
  ])
  return { others, done }
}

function createHelper(name: string, { mints = [7200], signIn }: MadeUp, done: string[]): AnyHelper {
  const rest = [...mints]
  const helper = defineHelper({
    summary: `print a token of ${name}`,
    options: {
      room: { value: 'text', default: 'hall', summary: 'which room' },
      floor: { value: 'number', summary: 'which floor' },
    },
    facts: ['room', 'claims.NAME'],
    plan: async (_, { room }) => ({ inputs: { room }, steps: [`the door of ${name}`] }),
    mint: async (_, { room }, { wantedFacts }) => {
      done.push(`${name} mints`)
      const next = rest.shift()
      if (next === undefined) throw new Error('one mint too many')
      if (next === 'hanging') return new Promise(() => {})
      if (next !== 'endless' && typeof next !== 'number') throw next
      return toToken(`${name}-${room}`, next, { room, ...(wantedFacts?.has('claims.sub') && { 'claims.sub': 'dana' }) })
    },
    ...(signIn && {
      signIn: async () => ({
        isDone: async () => false,
        complete: async () => {
          done.push(`${name} signs in`)
          signIn()
          return testNow
        },
        perform: async () => ({ isWatched: true }),
      }),
    }),
  })
  return helper as AnyHelper
}

function toToken(token: string, life: number | 'endless', facts: Record<string, string>): MintedToken {
  const expiresAt = life === 'endless' ? undefined : new Date(testNow + life * 1000)
  return { token: new Secret(token), expiresAt, facts }
}

/** Makes one run of `front` beside `back`, unless `argv` names another. */
export async function runPair({ others }: Pick<ReturnType<typeof createPair>, 'others'>, parts: TestHostParts = {}) {
  const host = await testHost(parts)
  const helper = await others.get('front')!()
  const { status } = await runHelper('front', helper, host, { others })
  return { status, ...host.written }
}
