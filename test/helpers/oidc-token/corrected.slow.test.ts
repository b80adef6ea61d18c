import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFreePort } from '../../gateways/gateway-process.ts'
import { prints } from '../../setup/run-program.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import { failure } from './desk.ts'
import { opens, type PersonDesk, startPersonDesk } from './person-desk.ts'
import { readNote } from './read-note.ts'

const printed = { status: 0, stdout: '{"token":"JWT"}\n', stderr: opens }

/** Nobody finishes a sign-in with these settings: the browser opens nothing, and the run ends before its person. */
async function leave(desk: PersonDesk, argv: readonly string[]): Promise<string> {
  const browser = join(desk.home, 'no browser')
  await writeFile(browser, '#!/bin/sh\n', { mode: 0o755 })
  const { status, stdout } = await desk.run({ argv: [...argv, '--client-timeout', '6'], env: { BROWSER: browser } })
  expect({ status, stdout }).toEqual({ status: 7, stdout: '' })
  return (await readNote(desk.home)).address
}

const corrections: readonly (readonly [option: string, wrong: readonly string[], right: readonly string[]])[] = [
  ['redirect-port', [], ['--redirect-port', 'PORT']],
  ['redirect-port of another one', ['--redirect-port', 'PORT'], []],
  ['redirect-path', ['--redirect-path', '/wrong'], ['--redirect-path', '/callback']],
  ['redirect-path at the same port', ['--redirect-port', 'PORT'], ['--redirect-port', 'PORT', '--redirect-path', '/b']],
  ['client-id at the same port', ['--client-id', 'nobody', '--redirect-port', 'PORT'], ['--redirect-port', 'PORT']],
  ['scope at the same port', ['--scopes', 'email', '--redirect-port', 'PORT'], ['--redirect-port', 'PORT']],
  ['redirect-host', [], ['--redirect-host', 'localhost']],
  ['response-mode', [], ['--response-mode', 'form_post']],
  [
    'append-offline-access',
    ['--refresh-token-store', 'file', '--append-offline-access', 'false'],
    ['--refresh-token-store', 'file'],
  ],
  ['additional-redirect-referrer-hosts', [], ['--additional-redirect-referrer-hosts', 'else.example']],
]

test('after a sign-in that nobody can finish, a corrected option begins another one', async () => {
  const corrected = await Promise.all(
    corrections.map(async ([option, wrong, right]) => {
      const desk = await startPersonDesk()
      const port = String(await findFreePort())
      const fill = (argv: readonly string[]) => [...desk.site, ...argv.map((word) => word.replace('PORT', port))]
      const dead = await leave(desk, fill(wrong))
      const outcome = await desk.runInWords({ argv: fill(right) })
      const others = (await desk.readTabs()).filter((tab) => tab !== dead)
      return [option, outcome, others.length]
    }),
  )
  expect(corrected).toEqual(corrections.map(([option]) => [option, printed, 1]))
})

test('a code in place of a browser, and a browser in place of a code, is another sign-in', async () => {
  const desk = await startPersonDesk()
  const dead = await leave(desk, desk.site)
  const byCode = await leave(desk, [...desk.site, '--sign-in', 'device'])
  expect(new URL(byCode).pathname).not.toBe(new URL(dead).pathname)
  expect(await desk.runInWords()).toEqual(printed)
})

test('a sign-in for which a run still waits keeps its port, unless a person signs in by hand', async () => {
  const desk = await startPersonDesk()
  const port = String(await findFreePort())
  const site = [...desk.site, '--redirect-port', port]
  const waiting = desk.begin({ argv: [...site, '--client-id', 'nobody'], env: { BROWSER: 'true' } })
  const { address } = await readNote(desk.home)
  await waiting.waitForText(address)
  const later = await desk.runInWords({ argv: site })
  const byHand = await desk.runInWords({ argv: ['sign-in', ...site] })
  expect({ later, byHand, first: await desk.toWords(await waiting.outcome, { [address]: 'TAB' }) }).toEqual({
    later: failure(
      5,
      `port ${port} of this machine, to which the browser comes back, is used by another program`,
      'end that program, or wait for another sign-in that uses the port, and start again; or tell your administrator: register another redirect port with the provider, and set it in redirect-port',
    ),
    byHand: prints(
      '',
      `${opens}oidc-token: signed in to HOST as alice, for the client gatepass, until DATE, in 1 h 59 min\n`,
    ),
    first: {
      status: 4,
      stdout: '',
      stderr: `\
${opens}oidc-token: the sign-in to HOST was ended, because another one needs port ${port} of this machine
oidc-token: hint: start again when that is done
`,
    },
  })
})

test('sign-out ends the process, the port and the lock of a sign-in that is under way', async () => {
  const desk = await startPersonDesk()
  const waiting = desk.begin({ env: { BROWSER: 'true' } })
  const { address } = await readNote(desk.home)
  // A run looks at the sign-in four times a second; ended before that, it has only its end to tell.
  await waiting.waitForText(address)
  const { port } = new URL(new URL(address).searchParams.get('redirect_uri') ?? '')
  const before = await isOpen(Number(port))
  const signOut = await desk.runInWords({ argv: ['sign-out', ...desk.site] })
  const ended = await desk.toWords(await waiting.outcome, { [address]: 'TAB' })
  await waitUntil('the port is closed', async () => !(await isOpen(Number(port))))
  expect({ isOpen: before, signOut, ended, next: await desk.runInWords() }).toEqual({
    isOpen: true,
    signOut: prints('', 'oidc-token: nobody was signed in to HOST; the sign-in that was under way is ended\n'),
    ended: {
      status: 4,
      stdout: '',
      stderr: `\
${opens}oidc-token: the sign-in to HOST was ended by a sign-out
oidc-token: hint: start a new session, in which a person can sign in
`,
    },
    next: printed,
  })
})

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })
}
