import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createListeners } from '../../../src/sources/oauth/listener/create-listeners.ts'
import { createTools } from '../../../src/sources/oauth/sign-in-tools.ts'
import { vendor } from '../../../src/vendor.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { testNow } from '../../setup/test-host.ts'
import { startParts } from './made-up-parts.ts'

const ending = { signal: new AbortController().signal, beginStoring: () => {} }
const around = { listeners: createListeners({ subject: 'x' }, async () => async () => {}), ending }

test('the browser gets only the network and the desktop', async () => {
  const browser = join(await temporaryDirectory(), 'browser')
  await writeFile(browser, '#!/bin/sh\nenv > "$0.env"\n')
  await chmod(browser, 0o755)
  const kept = { BROWSER: browser, DISPLAY: ':0', HOME: '/h', https_proxy: 'http://p', PATH: '/usr/bin:/bin' }
  const left = {
    AWS_PROFILE: 'dev',
    AWS_SECRET_ACCESS_KEY: 'canary',
    DATABASE_PASSWORD: 'canary',
    GATEPASS_PROXY: 'canary',
    LD_PRELOAD: '',
    [vendor.apiKeyVariable]: 'canary',
  }
  const opened = Promise.withResolvers<void>()
  const tools = await createTools(await startParts({ env: { ...kept, ...left } }), {
    ...around,
    tell: async (shown) => {
      if (shown.openedAt) opened.resolve()
    },
  })
  await tools.show({ address: 'https://a.example/' })
  await opened.promise
  const lines = (await readFile(`${browser}.env`, 'utf8'))
    .split('\n')
    .filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=|^$/.test(line))
  expect(Object.fromEntries(lines.map((line) => line.split('=')))).toEqual(kept)
})

test('an address that no longer works is not opened once more', async () => {
  const directory = await temporaryDirectory()
  const browser = join(directory, 'browser')
  await writeFile(browser, '#!/bin/sh\n')
  await chmod(browser, 0o755)
  let now = testNow
  const clock = { now: () => now, startedAt: testNow, elapsedMs: () => 0 }
  const opened = Promise.withResolvers<void>()
  let count = 0
  const parts = await startParts({ env: { BROWSER: browser, PATH: '/usr/bin:/bin' }, clock })
  const tools = await createTools(parts, {
    ...around,
    tell: async (shown) => {
      if (!shown.openedAt) return
      count += 1
      opened.resolve()
    },
  })
  await tools.show({ address: 'https://a.example/', expiresAt: new Date(testNow + 60_000) })
  await opened.promise
  now += 59_999
  await tools.reopen()
  const inTime = count
  now += 1
  await tools.reopen()
  expect({ inTime, late: count }).toEqual({ inTime: 2, late: 2 })
})

test('a browser that was missing is started by the next attempt', async () => {
  const browser = join(await temporaryDirectory(), 'browser')
  const told: object[] = []
  const tools = await createTools(await startParts({ env: { BROWSER: browser, PATH: '/usr/bin:/bin' } }), {
    ...around,
    tell: async (shown) => void told.push(shown),
  })
  const address = 'https://a.example/'
  await tools.show({ address })
  const unopened = {
    address,
    opens: false,
    unopened: { browser, problem: `"${browser}" does not exist (BROWSER, or the option browser)` },
  }
  const before = [...told]
  await writeFile(browser, '#!/bin/sh\n', { mode: 0o755 })
  await tools.reopen()
  expect({ before, after: told.at(-1) }).toEqual({
    before: [unopened],
    after: { address, opens: true, openedAt: testNow },
  })
})
