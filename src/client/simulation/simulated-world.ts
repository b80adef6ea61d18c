import { computeHelperTimeoutSec } from '../../contract/freshness.ts'
import { refreshCauseVariable } from '../../contract/refresh.ts'
import { HelperError } from '../../runtime/failure.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { parseIdentityProof } from '../../runtime/tokens/proof-facts.ts'
import { parseTokenFacts } from '../../runtime/tokens/token-facts.ts'
import {
  type ClientSignIn,
  createFailingSignIn,
  type OpenSignIn,
  type SignInResult,
} from '../credentials/client-sign-in.ts'
import {
  type HelperRun,
  type RunHelper,
  runCredentialHelper,
  timeoutMessages,
} from '../launch/run-credential-helper.ts'
import type { ClientWorld } from '../session/client.ts'
import { sendTurn } from '../session/send-turn.ts'
import type { SendTurn, Turn } from '../session/turn.ts'
import type { PersonState, ServerStatus } from './scenario.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Creates the world of a client with a virtual clock: real helpers and a real gateway. */
export function simulateWorld(settings: WorldSettings): Partial<ClientWorld> {
  const { clock, gateway } = settings
  return {
    runHelper: simulateRuns(settings),
    openSignIn: simulateSignIns(settings),
    sendTurn: simulateSending(settings),
    // A gateway outside the simulation runs in real time, and so does the idle timeout of its streams.
    ...(gateway.controls && { startTimer: clock.startTimer }),
  }
}

function simulateRuns(settings: WorldSettings): RunHelper {
  const { clock, conditions, runHelper = runCredentialHelper } = settings
  return async (credential, context, { env, platform, refreshCause }) => {
    const setup = {
      platform,
      // A helper would determine the cause by real time.
      env: {
        ...env,
        ...ownCacheOff,
        [refreshCauseVariable]: refreshCause,
        ...(conditions.network === 'down' && networkDown),
      },
    }
    const startedAt = Date.now()
    const run = await runHelper(credential, context, setup)
    const timeoutSec = computeHelperTimeoutSec(credential, context)
    const delaySec = Math.min(conditions.helperDelaySec, timeoutSec)
    const delayed = delaySec === 0 ? run : addDelay(run, delaySec, timeoutSec)
    if (delaySec > 0) await clock.sleep(delaySec * 1000)
    if (delayed.ok) addToken(delayed, startedAt, settings)
    return delayed
  }
}

/** Our helpers run without their cache, because the cache uses real time. */
const ownCacheOff = { GATEPASS_CACHE: 'none' }

/** A proxy port without a listener, for helpers that use the proxy variables. */
const deadProxy = 'http://127.0.0.1:9'
const networkDown = {
  http_proxy: deadProxy,
  https_proxy: deadProxy,
  HTTP_PROXY: deadProxy,
  HTTPS_PROXY: deadProxy,
  NO_PROXY: '',
  no_proxy: '',
}

function addDelay(run: HelperRun, delaySec: number, timeoutSec: number): HelperRun {
  const durationMs = run.durationMs + delaySec * 1000
  if (durationMs < timeoutSec * 1000) return { ...run, durationMs }
  const message = timeoutMessages.killed(timeoutSec)
  return { ok: false, reason: 'timeout', message, durationMs: timeoutSec * 1000, stderr: run.stderr, survivors: 'none' }
}

/**
 * Registers a token with the gateway. Two signatures of the same second are equal, so a token that was issued during this run is new even
 * if it equals the last one.
 */
function addToken(
  { credential }: HelperRun & { ok: true },
  startedAt: number,
  { gateway, tokenLifeSec, onToken }: WorldSettings,
): void {
  const token = credential.token.reveal()
  const isFresh = (findIssuedAt(token) ?? 0) >= Math.floor(startedAt / 1000) * 1000
  const { end } = parseTokenFacts(token, {})
  // The token was issued in real time; its remaining life begins at the simulated time.
  const lifeSec = end ? Math.max(0, (end.at - Date.now()) / 1000) : tokenLifeSec
  const admitted = gateway.controls?.register(token, lifeSec, isFresh ? 'fresh' : 'maybe again')
  // A token that has expired in real time too is the helper's mistake.
  onToken(admitted === 'ended' && lifeSec !== 0 ? 'expired' : 'live')
}

/** Finds the `iat` of a token in epoch milliseconds, rounded down to a second; `undefined` without one. */
function findIssuedAt(token: string): number | undefined {
  const { awsKey } = parseTokenFacts(token, {})
  if (awsKey) return awsKey.signedAt
  const proof = parseIdentityProof(token)
  if (proof) return proof.signedAt
  const issuedAt = parseJwt(token)?.claims.iat
  return typeof issuedAt === 'number' ? issuedAt * 1000 : undefined
}

type SignInWorld = Pick<WorldSettings, 'openSignIn' | 'conditions' | 'observePerson' | 'gateway'>

/** Forwards sign-ins, unless the scenario changes them, and registers every token with the gateway at the beginning of its life. */
function simulateSignIns({ openSignIn = createFailingSignIn, ...world }: SignInWorld): OpenSignIn {
  return (settings) => simulateSignIn(openSignIn(settings), world)
}

function simulateSignIn(signIn: ClientSignIn, { conditions, observePerson, gateway }: SignInWorld): ClientSignIn {
  const isDown = () => conditions.network === 'down' || conditions.provider === 'down'
  const register = (result: SignInResult): SignInResult => {
    if (result.ok) gateway.controls?.register(result.token.reveal(), result.lifeSec, 'fresh')
    return result
  }
  return {
    signIn: async () => {
      if (isDown()) return fail(unreachable)
      const person = observePerson()
      if (person !== 'agrees') return fail(person === 'away' ? personAway : personDeclines)
      const result = await signIn.signIn()
      if (result.ok) conditions.signIn = 'valid'
      return register(result)
    },
    renew: async () => {
      if (isDown()) return fail(unreachable)
      return conditions.signIn === 'revoked' ? fail(signInRevoked) : register(await signIn.renew())
    },
  }
}

function fail(failure: HelperError): SignInResult {
  return { ok: false, failure, durationMs: 0 }
}

const unreachable = new HelperError('unavailable', 'the identity provider cannot be reached', 'try again later')
const personAway = new HelperError(
  'sign-in-required',
  'nobody finished the sign-in in the browser',
  'start a new session, and finish the sign-in',
)
const personDeclines = new HelperError(
  'refused',
  'the sign-in was denied in the browser',
  'start a new session, and allow the sign-in',
)
const signInRevoked = new HelperError(
  'sign-in-required',
  'the provider refused the refresh token',
  'start a new session, and sign in',
)

function simulateSending({ gateway, conditions }: WorldSettings): SendTurn {
  return async (turn) => {
    if (conditions.network === 'down') return { reason: 'unreachable' }
    const { url: baseUrl, fetch } = gateway
    return sendTurn({ ...turn, inference: { ...turn.inference, baseUrl }, fetch })
  }
}

/** The gateway of a simulated client. */
export interface SimulatedGateway {
  /** The address of every turn, instead of the document's `baseUrl`. */
  readonly url: string
  /** Sends the requests; Node's own fetch by default. */
  readonly fetch?: Turn['fetch']
  /** The controls for changes; only the built-in gateway has them. */
  readonly controls?: GatewayControls
}

/** How a scenario changes the built-in gateway. */
export interface GatewayControls {
  revokeAll(): void
  readonly failureMode: { status?: number; silentMs?: number }
  /** Registers a token whose life begins now, unless it was registered before. `ended`: it was registered, and has expired. */
  register(token: string, lifeSec: number | undefined, print: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
}

/** The conditions that a scenario can change for a while. */
export interface Conditions {
  network: 'up' | 'down'
  /** The additional duration of a helper in seconds. */
  helperDelaySec: number
  /** Whether the identity provider answers. */
  provider: 'up' | 'down'
  /** Whether the configuration server answers, or the status of its answers. */
  server: 'up' | 'down' | ServerStatus
  /** Whether the provider has revoked the person's sign-in, so that it refuses the refresh token. */
  signIn: 'valid' | 'revoked'
}

/** The parts of a simulated world. */
interface WorldSettings {
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  readonly conditions: Conditions
  /** The life of tokens that do not state it. */
  readonly tokenLifeSec?: number
  /** Runs real processes by default. */
  readonly runHelper?: RunHelper
  /** Signs a person in; if absent, every sign-in fails. */
  readonly openSignIn?: OpenSignIn
  readonly observePerson: () => PersonState
  /** Called for each printed token. `expired`: it was printed before, and has expired in simulated time. */
  readonly onToken: (state: 'live' | 'expired') => void
}
