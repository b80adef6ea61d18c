// The world of a simulated client's day: the first document, the clock, the gateway, the helper and the person.

import { isDeepStrictEqual } from 'node:util'
import { longestSilenceSec } from '../../api/api-fetch.ts'
import type { OpenSignIn } from '../../client/credentials/client-sign-in.ts'
import type { RunHelper } from '../../client/launch/run-credential-helper.ts'
import type { DocumentServer } from '../../client/session/served-source.ts'
import type { Task } from '../../client/simulation/plan-scenario.ts'
import { playScenario } from '../../client/simulation/play-scenario.ts'
import type { PlaySettings } from '../../client/simulation/scenario-stage.ts'
import type { SimulatedGateway } from '../../client/simulation/simulated-world.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import { VirtualClock } from '../../client/simulation/virtual-clock.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../config/document.ts'
import { type ClientName, clients } from '../../contract/clients.ts'
import type { LoadFormat } from '../../fleet/load-formats.ts'
import type { ComparedChoice } from '../../fleet/scenario/choice-keys.ts'
import { startGateway } from '../../gateway/start-gateway.ts'
import { createTokenLedger } from '../../gateway/token-ledger.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import { hideUrlSecrets } from '../../runtime/text/hide-secrets.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/oidc-settings.ts'
import type { Cli } from '../cli.ts'
import { type BootstrapFlags, prepareBootstrap } from '../configuration-server.ts'
import { createCommandSignIn } from '../create-command-sign-in.ts'
import { readNetwork } from '../network.ts'
import { tellErrors } from '../show-findings.ts'
import { createRunOrSimulate, createSimulatedRuns, selectOpenSignIn } from './built-in.ts'

/** Plays the tasks against the given gateway, or against a stand-in. */
export async function playOnGateway({ host }: Cli, play: Play): Promise<SimulationEvent[]> {
  const {
    tasks,
    document,
    flags,
    simulatedLifeSec,
    served,
    agreed,
    clock = new VirtualClock(computeDayStart(Date.now())),
  } = play
  const { gateway, close } = await (flags.gateway === undefined
    ? startOwnGateway(clock, document)
    : openRemoteGateway(host, flags.gateway))
  try {
    return await playScenario({
      tasks,
      document,
      clock,
      gateway,
      env: host.env,
      platform: host.platform,
      ...(served && { served }),
      runHelper: restrictRuns(createRunOrSimulate(simulatedLifeSec), agreed),
      ...(flags.client !== 'desktop' && {
        otherClient: clients[flags.client],
        ...createSimulatedRuns(clients[flags.client], flags.baseUrl ?? gateway.url),
      }),
      openSignIn: restrictSignIns(selectOpenSignIn(await createCommandSignIn(host), simulatedLifeSec), agreed),
      ...(flags.lookAhead !== undefined && { lookAheadSec: flags.lookAhead }),
      ...(flags.tokenLife !== undefined && { tokenLifeSec: flags.tokenLife }),
    })
  } finally {
    await close()
  }
}

interface Play {
  readonly tasks: readonly Task[]
  readonly document: ConfigDocument
  /** The client's clock, if it was already used. */
  readonly clock?: VirtualClock
  /** See {@link PlaySettings}. */
  readonly served?: NonNullable<PlaySettings['served']>
  /** The runs and sign-ins with consent: a configuration server may meanwhile name others. Everything by default. */
  readonly agreed?: AgreedRuns
  readonly flags: SimulateFlags
  /** The life of simulated tokens. */
  readonly simulatedLifeSec?: number
}

/** Computes nine o'clock UTC of the day of `now`, in epoch milliseconds, so that a simulation always shows a working day. */
export function computeDayStart(now: number): number {
  return new Date(now).setUTCHours(9, 0, 0, 0)
}

/** Moves the end of a document to the simulated day: if it expires in two hours, it expires two hours after nine. */
export function moveExpiry(document: ConfigDocument): ConfigDocument {
  const { expiresAt } = document
  const now = Date.now()
  return expiresAt === undefined ? document : { ...document, expiresAt: computeDayStart(now) + (expiresAt - now) }
}

/** The first document of a simulated client. */
export interface FirstDocument {
  readonly document: ConfigDocument
  /** The real configuration server of the document. */
  readonly served?: DocumentServer
  /** The client's clock, which its sign-in at the configuration server uses. */
  readonly clock?: VirtualClock
}

/**
 * Requests the first document from a configuration server, so that a person can consent to it before the client starts. Without a document
 * the client starts anyway, as on a real day.
 */
export async function fetchFirstDocument(
  cli: Cli,
  flags: SimulateFlags & { readonly bootstrap: string; readonly device: string | undefined },
): Promise<FirstDocument> {
  const clock = new VirtualClock(computeDayStart(Date.now()))
  const { source, anchor } = await prepareBootstrap(cli, { ...flags, now: clock.now })
  const { answer } = await source.ask('launch')
  const served = { ...source, isDeliveryTrusted: anchor.isDeliveryTrusted }
  if (answer.outcome !== 'document') return { document: {}, served, clock }
  tellErrors(cli.terminal, hideUrlSecrets(flags.bootstrap), answer.result.findings)
  return { document: moveExpiry(answer.document), served, clock }
}

interface OpenGateway {
  readonly gateway: SimulatedGateway
  close(): Promise<void>
}

/** Opens a gateway at an address, with the network settings of this command. */
async function openRemoteGateway(host: Host, url: string): Promise<OpenGateway> {
  // Longer than any client waits for a silent stream: the client applies its own limit.
  const fetch = createStreamFetch({ network: await readNetwork(host), silenceSec: longestSilenceSec })
  return { gateway: { url, fetch }, close: async () => {} }
}

/** Starts a stand-in for a gateway, with the controls of a simulation, that accepts the document's own key. */
export async function startOwnGateway(clock: VirtualClock, document: ConfigDocument): Promise<OpenGateway> {
  const ledger = createTokenLedger(clock.now)
  const credential = document.inference?.credential
  if (credential?.kind === 'static' && credential.apiKey !== undefined) ledger.register(credential.apiKey, undefined)
  const builtIn = await startGateway({ verify: ledger.verify, sleep: clock.sleep })
  return {
    gateway: { url: builtIn.url, controls: { failureMode: builtIn.failureMode, ...ledger } },
    close: () => builtIn.close(),
  }
}

/** The options of `gatepass simulate`. */
export interface SimulateFlags extends BootstrapFlags {
  readonly scenario?: string
  readonly client: ClientName
  readonly command?: string
  readonly arg?: readonly string[]
  readonly baseUrl?: string
  readonly gateway?: string
  readonly lookAhead?: number
  readonly tokenLife?: number
  readonly html?: string
  readonly all?: true
  readonly json?: true
  readonly yes?: true
  readonly list?: true
  /** The number of desktops; the options below are for a fleet. */
  readonly fleet?: number
  readonly ttl?: number
  readonly renewEarly?: number
  readonly against?: Partial<ComparedChoice>
  readonly seed?: number
  readonly export?: LoadFormat
}

/** The programs and providers with a person's consent. */
interface AgreedRuns {
  readonly helpers: readonly HelperScriptCredential[]
  readonly providers: readonly OidcSettings[]
}

/** Runs only programs with a person's consent. */
function restrictRuns(run: RunHelper, agreed: AgreedRuns | undefined): RunHelper {
  return async (helper, context, setup) => {
    if (!agreed || agreed.helpers.some((other) => isDeepStrictEqual(toStarted(other), toStarted(helper))))
      return run(helper, context, setup)
    const message = `the configuration server names another program now, to which you have not agreed: ${helper.command ?? helper.commandWindows}`
    return { ok: false, reason: 'not-startable', message, durationMs: 0, survivors: 'none', stderr: '' }
  }
}

function toStarted({ command, commandWindows, args, awsEnv }: HelperScriptCredential) {
  return [command, commandWindows, args, awsEnv]
}

/** Opens only sign-in pages with a person's consent. */
function restrictSignIns(open: OpenSignIn, agreed: AgreedRuns | undefined): OpenSignIn {
  return (settings) => {
    if (!agreed || agreed.providers.some((other) => isDeepStrictEqual(other, settings))) return open(settings)
    const message = 'the configuration server names another provider now, to which you have not agreed'
    const failure = new HelperError('refused', message, 'run the simulation again')
    const answer = async () => ({ ok: false, failure, durationMs: 0 }) as const
    return { signIn: answer, renew: answer }
  }
}
