import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { quoteWord } from '../../src/runtime/text/quote.ts'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { type Stage, startStage } from './stage.ts'

/** A client that takes a base address and a key, and how a person starts it for one question. */
interface KeyedProgram {
  /** Prepares its settings beside address and key. */
  configure(stage: Stage): Promise<void>
  /** Those of `gatepass run`. */
  readonly flags: readonly string[]
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** How often it asks the model for one answer. */
  readonly requests: number
}

/** Has a client do whole turns behind `gatepass run`, with the document of a helper. */
export function testBehindRun(title: string, program: KeyedProgram): void {
  const startConfigured = async () => {
    const stage = await startStage()
    await program.configure(stage)
    return stage
  }
  const answered = { status: 0, answer: `${modelSays}\n`, told: [] }
  const sent = (number: number, status: number) => ({ token: `made-up-access-token-${number}`, status })
  const often = (number: number) => Array.from({ length: program.requests }, () => sent(number, 200))

  test(`${title} has in a second run the token of the first, and loses no turn to a revocation`, async () => {
    const stage = await startConfigured()
    stage.source.delay(2000)
    expect(await runTurn(stage, program)).toEqual(answered)
    expect(await runTurn(stage, program)).toEqual(answered)
    expect({ records: stage.gateway.records, mints: stage.source.mints() }).toEqual({
      records: [...often(1), ...often(1)],
      mints: 1,
    })
    stage.gateway.revokeSeen()
    expect(await runTurn(stage, program)).toEqual(answered)
    const later = stage.gateway.records.slice(2 * program.requests)
    expect(later.filter(({ status }) => status === 200)).toEqual(often(2))
    expect({ refused: later[0], mints: stage.source.mints() }).toEqual({ refused: sent(1, 401), mints: 2 })
  })

  test(`${title} starts only with a token, and a person reads why a helper has none`, async () => {
    const stage = await startConfigured()
    stage.source.refuse()
    const { host } = new URL(stage.source.url)
    const { name, command } = stage.helper
    const said = `${host} did not exchange the identity token in ${stage.identityFile} (HTTP 403 access_denied)`
    const told = [
      `helper: ${name}: ${said}`,
      `helper: ${name}: hint: check base-url, organization, federation-rule, service-account and workspace`,
      'gatepass: the credential helper gave no credential: the helper failed with exit status 5',
      `gatepass: hint: see what it says: gatepass check-helper ${quoteWord(command)}`,
    ]
    expect(await runTurn(stage, program)).toEqual({ status: 5, answer: '', told })
    expect(stage.gateway.records).toEqual([])
  })
}

/** Runs one process of the client with one question, and what a person reads of it and of Gatepass. */
async function runTurn(stage: Stage, { flags, command, env }: KeyedProgram) {
  const own = [toBundlePath('gatepass'), 'run', '--document', await writeDocument(stage), '--yes', ...flags]
  const { status, stdout, stderr } = await stage.run(process.execPath, [...own, '--', ...command], env)
  const told = stderr.split('\n').filter((line) => /^(gatepass|helper): /.test(line))
  return { status, answer: stdout, told }
}

/** With a ttl for which a token of an hour is served again. */
async function writeDocument({ home, gateway, helper: { command, argv } }: Stage): Promise<string> {
  const credential = { kind: 'helper-script', command, args: [...argv, '--client-ttl', '300'], ttlSec: 300 }
  const path = join(home, 'config.json')
  const inference = { provider: 'gateway', baseUrl: gateway.url, credential }
  await writeFile(path, JSON.stringify({ $schemaVersion: 2, inference }))
  return path
}
