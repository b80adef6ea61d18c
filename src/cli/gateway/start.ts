import { type Command, InvalidArgumentError, Option } from 'commander'
import { keysTimeoutSec } from '../../gateway/credentials/verify-assertion.ts'
import { type Fault, parseFault } from '../../gateway/http/faults.ts'
import type { PlatformRecord } from '../../gateway/http/record-requests.ts'
import { seedPlatform } from '../../gateway/seed-platform.ts'
import { openState } from '../../gateway/store/state.ts'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import { parseObject, renderJson } from '../../runtime/values/json-value.ts'
import { usualPorts } from '../../verify/server/listen-address.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import { readNetwork } from '../network.ts'
import { createPortOption } from '../option-values.ts'
import { readNamedText } from '../read-text.ts'
import { waitForSignal } from '../terminal.ts'
import { openStateFile } from './console-state.ts'
import { revealSeed } from './keys.ts'

/** Adds `gatepass gateway [start]`: serves until it is interrupted. */
export function addGatewayStart(gateway: Command, cli: Cli): void {
  gateway
    .command('start', { isDefault: true })
    .description('serve the API on loopback until interrupted')
    .addOption(createPortOption(usualPorts.gateway))
    .option('--db <file>', 'where to keep state (default: in memory, filled with one of everything)')
    .addOption(
      new Option('--fault <fault...>', "a failure to cause, such as 'POST /v1/messages 401 once'").default([], 'none'),
    )
    .addOption(
      new Option('--allow-beta <name...>', 'a beta feature to accept besides those of the specification')
        .default([], 'none')
        .argParser(addBeta),
    )
    .option('--document <file>', 'the configuration document to serve (default: one that names this gateway)')
    .addHelpText(
      'after',
      `\nFaults: METHOD PATH EFFECT [once|N times]. Effects: a status, "429 retry-after=2", "slow 2s", "reset", "pings 5s".`,
    )
    .action(async (flags: StartFlags) => runStandIn(cli, flags))
}

interface StartFlags {
  readonly port: number
  readonly db?: string
  readonly fault: readonly string[]
  readonly document?: string
  readonly allowBeta: readonly string[]
}

/** Adds the name of a beta feature, which must be valid in a list header (RFC 9110, section 5.6.2). */
function addBeta(name: string, before: readonly string[]): readonly string[] {
  if (/^[\w.-]{1,128}$/.test(name)) return [...before, name]
  throw new InvalidArgumentError('expected a name such as skills-2025-10-02.')
}

async function runStandIn(
  { host, terminal }: Cli,
  { port, db, fault, document, allowBeta }: StartFlags,
): Promise<void> {
  const faults: Fault[] = fault.map(parseFault)
  const served = document === undefined ? undefined : await readDocument(document)
  const state = db === undefined ? openState({ now: host.clock.now }) : openStateFile(db, host.clock.now)
  const { startPlatform } = await import('../../gateway/start-platform.ts') // other commands need no server
  const platform = await startPlatform({
    state,
    port,
    faults,
    allowedBetas: allowBeta,
    fetch: createStreamFetch({ network: await readNetwork(host), silenceSec: keysTimeoutSec }),
    ...(served && { document: served }),
    onRecord: (record) => terminal.tell(renderRecord(record)),
  })
  const seed = db === undefined ? revealSeed(seedPlatform(state)) : undefined
  terminal.tell(
    `${programName}: this is a stand-in for the platform, for trials on this machine only; ${db === undefined ? 'its state ends with it' : `its state is in ${toOneLine(db)}`}\n`,
  )
  terminal.print(renderJson({ url: platform.url, ...seed }))
  await waitForSignal()
  await platform.close()
  state.close()
}

async function readDocument(path: string): Promise<Record<string, unknown>> {
  const hint = 'name a file with one JSON object'
  const object = parseObject(await readNamedText(path, { hint }))
  if (object) return object
  throw new HelperError('usage', `${path} holds no JSON object`, hint)
}

function renderRecord({ method, path, status, reason, note, requestId }: PlatformRecord): string {
  const remarks = [reason, note].filter((remark) => remark !== undefined).map((remark) => `(${remark})`)
  return `${toOneLine([method, path, status, ...remarks, requestId].join(' '))}\n`
}
