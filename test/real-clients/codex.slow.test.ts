import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { modelSays } from '../stand-ins/model/inference-gateway.ts'
import { configureCodex, runCodex } from './codex.ts'
import { type Stage, startStage } from './stage.ts'

const answered = { status: 0, answer: `${modelSays}\n`, error: '' }
const first = { token: 'made-up-access-token-1', status: 200 }

test('a second process of Codex has the token of the first', async () => {
  const stage = await startStage()
  await configureCodex(stage, stage.helper)
  expect([await runCodex(stage), await runCodex(stage)]).toEqual([answered, answered])
  expect({ records: stage.gateway.records, mints: stage.source.mints() }).toEqual({ records: [first, first], mints: 1 })
})

test('sixteen windows of Codex at once have one token', async () => {
  const stage = await startStage()
  await configureCodex(stage, stage.helper)
  const turns = await Promise.all(Array.from({ length: 16 }, () => runCodex(stage)))
  expect(turns).toEqual(turns.map(() => answered))
  expect({ records: stage.gateway.records, mints: stage.source.mints() }).toEqual({
    records: turns.map(() => first),
    mints: 1,
  })
})

test('a token that ends in the middle of a turn is replaced, and the turn goes through', async () => {
  const stage = await startStage()
  const lifeSec = 4
  await configureCodex(stage, await stage.createShortLived(lifeSec))
  const untilItsEnd = async () => {
    await sleep(lifeSec * 1000)
    stage.gateway.revokeSeen()
  }
  stage.gateway.callNext({ name: 'view_image', input: { path: 'none' }, meanwhile: untilItsEnd })
  expect(await runCodex(stage)).toEqual(answered)
  expect(stage.gateway.records.map(({ status }) => status)).toEqual([200, 401, 200])
})

test('a token that was revoked is replaced after the first 401, and no turn is lost', async () => {
  const stage = await startStage()
  await configureCodex(stage, stage.helper, '--ttl', '0')
  expect(await runCodex(stage)).toEqual(answered)
  // A token of the last ten seconds would be served again.
  await sleep(11_000)
  stage.gateway.revokeSeen()
  expect(await runCodex(stage)).toEqual(answered)
  const second = { token: 'made-up-access-token-2', status: 200 }
  expect({ records: stage.gateway.records, mints: stage.source.mints() }).toEqual({
    records: [first, { ...first, status: 401 }, second],
    mints: 2,
  })
})

test('a slow helper delays the turn', async () => {
  const stage = await startStage()
  await configureCodex(stage, stage.helper)
  stage.source.delay(3000)
  expect(await runCodex(stage)).toEqual(answered)
})

/** Codex tries a turn five times again, each with another run of the helper. */
const once = ['stream', 'request'].map((what) => `model_providers.gatepass.${what}_max_retries=0`)

test('a person reads why a helper has no token, and what to do', async () => {
  const stage = await startStage()
  await configureCodex(stage, stage.helper)
  stage.source.refuse()
  const { host } = new URL(stage.source.url)
  const said = `${host} did not exchange the identity token in ${stage.identityFile} (HTTP 403 access_denied)`
  const hint = 'check base-url, organization, federation-rule, service-account and workspace'
  expect(await runCodex(stage, ...once)).toEqual(failed(stage, 5, said, hint))
})

test('a person reads what a helper has waited for', async () => {
  const stage = await startStage()
  const { name, command, argv } = stage.helper
  await configureCodex(stage, { name, command, argv: [...argv, '--client-timeout=5'] })
  stage.source.delay(60_000)
  const { host } = new URL(stage.source.url)
  const said = `the token exchange at ${host} (waiting for ${host} to answer) took longer than the 3 s of this call`
  const hint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
  expect(await runCodex(stage, ...once)).toEqual(failed(stage, 7, said, hint))
})

/** Returns a turn without an answer, and the words of the helper behind those of Codex. */
function failed({ helper: { name, command } }: Stage, status: number, said: string, hint: string) {
  const beginning = `ERROR: provider auth command \`${command}\` exited with status exit status: ${status}: `
  return { status: 1, answer: '', error: `${beginning}${name}: ${said}\n${name}: hint: ${hint}\n` }
}
