import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { createIssuer, createRule, type FederationRule } from '../../../src/gateway/credentials/federation-rules.ts'
import type { PlatformRecord } from '../../../src/gateway/http/record-requests.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { audience, createIdentityProvider, issuer } from '../../stand-ins/identity/identity-provider.ts'
import { writeTemporary } from '../run-gatepass.ts'
import { startServer } from '../start-server.ts'

export interface StageSettings {
  readonly conditions?: Partial<FederationRule['conditions']>
  /** The seconds by which the platform's clock is ahead; its `Date` says the same. */
  readonly aheadSec?: number
  readonly issuer?: string
  readonly identityReuse?: 'allowed'
}

/** Starts a platform of its own clock with one federation rule, and `gatepass doctor` for a document that runs `workload-token`. */
export async function startExchangeStage({ conditions, aheadSec = 0, ...more }: StageSettings = {}) {
  const home = await temporaryDirectory()
  const db = join(home, 'state.db')
  const provider = await createIdentityProvider()
  const state = openState({ file: db, now: () => Date.now() + aheadSec * 1000 })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer: more.issuer ?? issuer, keys: { inline: provider.jwks } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject: 'workload', claims: {}, ...conditions },
    lifeSec: 3600,
    ...(more.identityReuse && { identityReuse: more.identityReuse }),
  })
  const records: PlatformRecord[] = []
  const platform = await startPlatform({ state, onRecord: (record) => records.push(record) })
  onTestFinished(async () => {
    await platform.close()
    state.close()
  })
  const url = aheadSec === 0 ? platform.url : await startDated(platform.url, aheadSec)
  return {
    provider,
    rule,
    seed,
    state,
    url,
    db,
    /** Runs the doctor for an identity token in a file; `more` are arguments of the helper. */
    diagnose: async (token: string, flags: readonly string[] = [], more: readonly string[] = []) => {
      const file = await writeTemporary('identity-token', token)
      const own = ['--base-url', url, '--organization', seed.organization, '--federation-rule', rule]
      const args = [...own, '--identity', 'file', '--identity-file', file, ...more]
      const credential = { kind: 'helper-script', command: toBundlePath('workload-token'), args }
      const text = JSON.stringify({ $schemaVersion: 2, inference: { provider: 'gateway', baseUrl: url, credential } })
      return runDoctor(home, [await writeTemporary('document.json', text), '--yes', ...flags])
    },
    reasons: () => records.filter(({ path }) => path === '/v1/oauth/token').map(({ reason }) => reason),
  }
}

async function runDoctor(home: string, argv: readonly string[]): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [toBundlePath('gatepass'), 'doctor', ...argv], {
    env: { HOME: home, PATH: [dirname(process.execPath), '/usr/bin', '/bin'].join(':') },
    ...({ extendEnv: false, reject: false, stripFinalNewline: false } as const),
  })
  // A JWT begins with an object, whose base64 begins so; so do the platform's own tokens with their prefix.
  expect(['eyJ', 'sk-vendor-'].filter((secret) => (stdout + stderr).includes(secret))).toEqual([])
  return { status: exitCode ?? 'killed', stdout, stderr }
}

/** The platform's answers with its own time on them. */
function startDated(behind: string, aheadSec: number): Promise<string> {
  return startServer(async (message, response) => {
    const body = Buffer.concat(await message.toArray())
    const { method = 'GET', headers } = message
    const type = headers['content-type']
    const answer = await fetch(behind + message.url, {
      method,
      headers: { ...(type !== undefined && { 'content-type': type }) },
      ...(body.length > 0 && { body }),
    })
    const date = new Date(Date.now() + aheadSec * 1000).toUTCString()
    response.writeHead(answer.status, { 'content-type': 'application/json', date }).end(await answer.text())
  })
}

/** Returns the part on the exchange: its heading's mark, its lines, its hint. */
export function exchangeOf({ stdout }: Outcome): { lines: string[]; hint: string } | undefined {
  const block = stdout.split('\n\n').find((text) => text.includes('The token exchange'))
  const [, ...lines] = block?.split('\n').map((line) => line.trim()) ?? []
  if (!block) return undefined
  return {
    lines: lines.filter((line) => !line.startsWith('→')),
    hint: lines.find((line) => line.startsWith('→'))?.slice(2) ?? '',
  }
}
