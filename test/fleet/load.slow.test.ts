import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { loadFormats } from '../../src/fleet/load-formats.ts'
import type { PlayedFleet } from '../../src/fleet/summarize-fleet.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { madeChoice, makeResult } from './made-result.ts'

/** 120 turns in the minute of nine, 600 in the next. */
const fleet: PlayedFleet = {
  name: 'two minutes */ """\n\u2028throw 1\n',
  summary: '',
  desktops: 600,
  seed: 1,
  played: [{ choice: madeChoice, result: makeResult({ turns: { 32400: 120, 32460: 600 } }) }],
}

test('Locust sends the turns of the curve, with the token of a file that the scenario does not hold', async () => {
  const tokens = new Set<string>()
  const gateway = await startGateway({
    verify: (token) => {
      tokens.add(token)
      return { ok: true }
    },
  })
  try {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'load.py'), loadFormats.locust(fleet))
    await writeFile(join(directory, 'token.txt'), 'canary-7f3a91c2\n')
    const run = await execa(
      'locust',
      ['--headless', '--locustfile', 'load.py', '--host', gateway.url, '--only-summary'],
      {
        cwd: directory,
        env: {
          LOAD_TOKEN_FILE: 'token.txt',
          LOAD_FROM: '09:00',
          LOAD_UNTIL: '09:02',
          LOAD_SPEED: '10',
          LOAD_PACE: '1',
        },
      },
    )
    // It ends with 1 where a request failed, which execa throws for. 2 a second for 6 s, then 10 a second for 6 s.
    expect([...tokens]).toEqual(['canary-7f3a91c2'])
    expect(gateway.records.length).toBeGreaterThan(40)
    expect(gateway.records.length).toBeLessThan(90)
    expect(run.stdout + run.stderr + (await readFile(join(directory, 'load.py'), 'utf8'))).not.toContain('canary')
  } finally {
    await gateway.close()
  }
})

test('k6 is told the rate of every minute, and sends one turn with the token', async () => {
  const script = loadFormats
    .k6(fleet)
    .replace("import http from 'k6/http'\nimport { check } from 'k6'\n", '')
    .replaceAll('export const ', 'const ')
  const sent: unknown[] = []
  const http = { post: (...request: unknown[]) => sent.push(request) }
  const env = {
    LOAD_HOST: 'https://gateway.example.com',
    LOAD_TOKEN_FILE: '/token',
    LOAD_FROM: '09:00',
    LOAD_UNTIL: '09:02',
    LOAD_SPEED: '10',
    LOAD_SCALE: '0.5',
  }
  const play = new Function('__ENV', 'open', 'http', 'check', `${script}\nturn()\nreturn options`)
  const options = play(
    env,
    (path: string) => `token of ${path}\n`,
    http,
    () => true,
  )
  expect(options).toEqual({
    scenarios: {
      day: {
        exec: 'turn',
        executor: 'ramping-arrival-rate',
        startRate: 60,
        timeUnit: '1m',
        stages: [
          { target: 60, duration: '6000ms' },
          { target: 300, duration: '6000ms' },
        ],
        preAllocatedVUs: 25,
        maxVUs: 300,
      },
    },
  })
  expect(sent).toEqual([
    [
      'https://gateway.example.com/v1/messages',
      '{"model":"any","max_tokens":16,"messages":[{"role":"user","content":"Hello"}]}',
      {
        headers: {
          'content-type': 'application/json',
          'vendor-version': '2023-06-01',
          authorization: 'Bearer token of /token',
        },
        tags: { name: 'turn' },
      },
    ],
  ])
})
