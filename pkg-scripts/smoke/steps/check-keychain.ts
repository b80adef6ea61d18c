import { randomBytes } from 'node:crypto'
import { requireOutcome, requireSame, Skipped, toSuccess } from '../subject/findings.ts'
import type { Installer } from '../subject/installer.ts'
import { type ProgramEnd, runProgram } from '../subject/programs.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { refuseOtherInstallers, runAll } from './check-installation.ts'
import { requireToken } from './token-call.ts'

/** The user's keychain stores, returns and deletes a key, under an unused name. */
export async function checkKeychain(subject: SmokeSubject): Promise<string> {
  await withStoredKey(subject, async ({ read, key }) =>
    requireSame('the key', requireToken('api-key', await read()), key),
  )
  return 'stored, read and forgotten'
}

/** A key that one build has stored is read by the next one: by another build where one was named, else by the same under another number. */
export async function checkKeychainUpgrade(subject: SmokeSubject): Promise<string> {
  refuseOtherInstallers(subject)
  const isOther = subject.installers.every(({ runOther }) => runOther !== undefined)
  if (process.platform === 'darwin' && !isOther) throw new Skipped('it needs another build: --next DIRECTORY')
  const upgrade = (installer: Installer) => (installer.runOther ?? installer.next[0]!)()
  return withStoredKey(subject, async ({ read, key }) => {
    await runAll(subject, 'upgrade', upgrade)
    try {
      const outcome = await read()
      if (await isRefusedAdHoc(subject, outcome))
        return 'macOS asks once, as it has to for builds without a Developer ID'
      requireSame('the key', requireToken('api-key of the next build', outcome), key)
      return 'the next build reads it without a question'
    } finally {
      await runAll(subject, 'installing the first one again', (installer) => installer.run())
    }
  })
}

/** A signature without an identity identifies a program by its code, so another build is another program to the keychain. */
async function isRefusedAdHoc(subject: SmokeSubject, { status, stderr }: ProgramEnd): Promise<boolean> {
  if (process.platform !== 'darwin' || status !== 5 || !stderr.includes('another build of this one')) return false
  const argv = ['--display', '--verbose=2', subject.pathOf('api-key')]
  return (await runProgram('codesign', argv, { env: subject.env })).stderr.includes('Signature=adhoc')
}

interface SmokeKey {
  readonly key: string
  read(): Promise<ProgramEnd>
}

/** Stores a key under an unused name, runs `use`, and requires that the key can be deleted. */
async function withStoredKey<T>(subject: SmokeSubject, use: (stored: SmokeKey) => Promise<T>): Promise<T> {
  const env = { ...subject.env, ...requireSession() }
  const name = ['--key-name', `smoke-${process.pid}-${randomBytes(4).toString('hex')}`]
  const key = `sk-smoke-${randomBytes(20).toString('hex')}`
  const read = () => subject.run('api-key', name, { env })
  const stored = await subject.run('api-key', ['store', ...name], { env, stdin: `${key}\n` })
  let seen: T
  try {
    requireOutcome('api-key store', stored, { status: 0, stdout: /^/, stderr: /^/ })
    seen = await use({ key, read })
  } finally {
    const forgotten = await subject.run('api-key', ['forget', ...name], { env })
    if (stored.status === 0) requireOutcome('api-key forget', forgotten, { ...toSuccess(/^/), stderr: /^/ })
  }
  requireOutcome('api-key after that', await read(), { status: 3, stdout: '', stderr: /there is no key/ })
  return seen
}

/**
 * Returns the variables for the keychain of this user.
 * @throws if this user has no keychain.
 */
function requireSession(): Record<string, string> {
  const { DBUS_SESSION_BUS_ADDRESS: bus, XDG_RUNTIME_DIR: runtime, HOME: home } = process.env
  if (process.platform === 'darwin' && home) return { HOME: home }
  if (process.platform !== 'linux') return {}
  if (!bus) throw new Skipped('there is no session bus, and so no Secret Service')
  return { DBUS_SESSION_BUS_ADDRESS: bus, ...(runtime && { XDG_RUNTIME_DIR: runtime }) }
}
