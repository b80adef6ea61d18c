import { hash } from 'node:crypto'
import { mkdir, readFile, rename, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createDeviceObserver, openAnswerAudit } from '../../../src/bootstrap/serve/audit.ts'
import { digestValue } from '../../../src/bootstrap/serve/prepare-release.ts'
import { openAuditFile, renderAuditEntry } from '../../../src/verify/sinks/audit-sinks.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { start } from '../../verify/verifier/made-up-checks.ts'
import { bearerOf, issuer, startBootstrapStage } from './bootstrap-stage.ts'

const groups = [{ name: 'eng', claims: { groups: ['eng'] } }]

describe('a line about each answer', () => {
  test('names the person by a digest, with release, wave and entity tag', async () => {
    const stage = await startBootstrapStage({ secrets: { key: 'k-123' } })
    await stage.publish({ groups, documents: { '': { a: 1 }, eng: { key: '{secret.key}' } } })
    const answer = await stage.ask(bearerOf({ sub: 'dana', groups: ['eng'] }))
    expect(stage.audited).toEqual([
      {
        time: start,
        bootstrap: 'answer',
        status: 200,
        issuer,
        subject: digestValue([issuer, 'dana']),
        groups: ['eng'],
        release: '1-0123456789ab',
        wave: 2,
        why: 'everybody',
        etag: answer.headers.etag,
      },
    ])
  })

  test('names the person in plain text where the server is set so', async () => {
    const stage = await startBootstrapStage({ auditSubject: 'plain' })
    await stage.publish({ groups, others: 'nothing', documents: { eng: { a: 1 } } })
    await stage.ask(bearerOf({ sub: 'dana' }))
    await stage.ask(bearerOf({ refused: 'expired' }))
    const request = 'req_UUID'
    const { time, bootstrap } = { time: start, bootstrap: 'answer' }
    expect(toStableValue(stage.audited)).toEqual([
      {
        time,
        bootstrap,
        status: 403,
        reason: 'not-entitled',
        request,
        issuer,
        subject: 'dana',
        groups: [],
        release: '1-0123456789ab',
      },
      { time, bootstrap, status: 401, reason: 'expired', request },
    ])
  })

  test('about a device sign-in names the person by the claim of the release, as an answer does', async () => {
    const stage = await startBootstrapStage()
    const lines: string[] = []
    const sink = { write: (line: string) => lines.push(line), close: async () => {} }
    const { follower } = stage
    const audit = openAnswerAudit(sink, { form: 'digest', now: () => start })
    const observe = createDeviceObserver({ registry: new Registry(), audit, follower, now: () => start })
    const identity = { kind: 'jwt', issuer, subject: 'dana', claims: { sub: 'dana', oid: 'o-7' } } as const
    const confirm = () => observe({ outcome: 'confirmed', grant: 'g', identity: identity as never })
    confirm()
    await stage.publish({ subject: 'oid', documents: { '': { a: 1 } } })
    confirm()
    await stage.ask(bearerOf(identity.claims))
    const [before, after] = lines.map((line) => JSON.parse(line))
    const entry = { time: start, bootstrap: 'device', outcome: 'confirmed', grant: 'g', issuer }
    const [answer] = stage.audited as { subject: string }[]
    expect([before, after]).toEqual([
      { ...entry, subject: hash('sha256', JSON.stringify([issuer, 'dana']), 'base64url').slice(0, 22) },
      { ...entry, subject: answer!.subject },
    ])
  })

  test('stays one line, whatever the claims hold', () => {
    const line = renderAuditEntry({ subject: 'a\n{"bootstrap":"answer"}\r\u2028\u202e\u001b[2J' })
    expect(line).toBe(String.raw`{"subject":"a\n{\"bootstrap\":\"answer\"}\r\u2028\u202e\u001b[2J"}`.concat('\n'))
  })

  test('refusals of strangers beyond a hundred a second are only counted', async () => {
    const lines: string[] = []
    const world = { now: start }
    const audit = openAnswerAudit(
      { write: (line) => lines.push(line), close: async () => {} },
      { form: 'digest', now: () => world.now },
    )
    const answer = { status: 401, headers: [], chunks: [] }
    const record = () => audit.record({ time: world.now, answer, verdict: undefined, requestId: 'req_1' })
    const startDevice = () => audit.recordDevice({ time: world.now, event: { outcome: 'started', grant: 'g' } })
    for (let count = 0; count < 75; count += 1) {
      record()
      startDevice()
    }
    world.now += 1_000
    record()
    await audit.close()
    expect([lines.length, lines[100]]).toEqual([102, `{"time":${start + 1_000},"bootstrap":"omitted","count":50}\n`])
  })
})

describe('the file of an audit', () => {
  test('is for its owner alone, is appended to, and is opened again after it was renamed', async () => {
    const path = join(await temporaryDirectory(), 'audit.log')
    const troubles: string[] = []
    const sink = await openAuditFile(path, (cause) => troubles.push(cause))
    sink.write('a\n')
    sink.write('b\n')
    await expect.poll(() => readFile(path, 'utf8')).toBe('a\nb\n')
    await rename(path, `${path}.1`)
    sink.write('c\n')
    await expect.poll(() => readFile(`${path}.1`, 'utf8')).toBe('a\nb\nc\n')
    sink.reopen()
    await expect.poll(() => readFile(path, 'utf8').catch(() => undefined)).toBe('')
    sink.write('d\n')
    await sink.close()
    expect({
      renamed: await readFile(`${path}.1`, 'utf8'),
      current: await readFile(path, 'utf8'),
      mode: (await stat(path)).mode & 0o777,
      lost: sink.lost(),
      troubles,
    }).toEqual({ renamed: 'a\nb\nc\n', current: 'd\n', mode: 0o600, lost: 0, troubles: [] })
  })

  const attemptOpen = (path: string) => openAuditFile(path, () => {}).catch(({ message, hint }) => ({ message, hint }))

  test('that is not a regular file is refused at the start', async () => {
    expect(await attemptOpen('/dev/full')).toEqual({
      message: 'the audit /dev/full is not a file',
      hint: 'name a file with --audit',
    })
  })

  test('in a directory that does not exist is refused at the start', async () => {
    const path = join(await temporaryDirectory(), 'missing/audit.log')
    expect(await attemptOpen(path)).toEqual({
      message: `the audit ${path} cannot be written (ENOENT)`,
      hint: 'name a file with --audit in a directory that exists',
    })
  })

  test('that is a link is refused at the start', async () => {
    const directory = await temporaryDirectory()
    const linked = join(directory, 'linked.log')
    await symlink(join(directory, 'audit.log'), linked)
    expect(await attemptOpen(linked)).toEqual({
      message: `the audit ${linked} cannot be written (ELOOP)`,
      hint: `name a file with --audit in a directory that this user may write: ls -ld '${directory}'`,
    })
  })

  test('that cannot be opened again is still written to', async () => {
    const path = join(await temporaryDirectory(), 'audit.log')
    const troubles: string[] = []
    const sink = await openAuditFile(path, (cause) => troubles.push(cause))
    await rename(path, `${path}.1`)
    await mkdir(path)
    sink.reopen()
    sink.write('a\n')
    await sink.close()
    const trouble = `the audit ${path} cannot be written (EISDIR)`
    expect([troubles, sink.lost(), await readFile(`${path}.1`, 'utf8')]).toEqual([[trouble], 0, 'a\n'])
  })
})

test('metrics count answers by status, reason and release', async () => {
  const stage = await startBootstrapStage()
  await stage.publish({ documents: { '': { a: 1 } } }, { serial: 4 })
  await stage.ask(bearerOf({ sub: 'dana' }))
  await stage.ask({})
  const text = await (await fetch(`${stage.admin}/metrics`)).text()
  const rows = text.split('\n').filter((line) => /^gatepass_bootstrap_(answers|release|audit)/.test(line))
  expect(rows).toEqual([
    'gatepass_bootstrap_answers_total{status="200",reason="",release="1-0123456789ab"} 1',
    'gatepass_bootstrap_answers_total{status="401",reason="no-token",release=""} 1',
    'gatepass_bootstrap_release_serial 4',
    'gatepass_bootstrap_release_age_seconds 0',
    'gatepass_bootstrap_release_refused 0',
    'gatepass_bootstrap_audit_lost_total 0',
    'gatepass_bootstrap_audit_failing 0',
  ])
})
